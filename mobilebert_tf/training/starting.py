"""What a student takes from its teacher before training: embedding and heads."""

from collections.abc import Sequence

import numpy as np

from mobilebert_tf.checkpoints.names import google_names
from mobilebert_tf.errors import InputError

# Of the texts, for averages over contexts of an embedding: beyond these nothing changes.
_SAMPLED_TOKENS = 1000


def start_from_teacher(student, teacher, batches: Sequence[dict]) -> list[str]:
    """Gives a student its teacher's embedding, and its heads where both have them.

    Variables are copied by name. Where the student's word table is of another width than the
    teacher's, it and the projection after it become the best approximation of that width to what
    the teacher's embedding gives for each piece, weighted by how often pieces occur. Where the
    teacher normalises its embedding and the student has a NoNorm, gamma and beta are fitted to the
    texts feature by feature: the student's first block then sees what the teacher's sees, as
    nearly as an affine map can give it. (google-research's code leaves that norm an identity.)

    Args:
      student, teacher: `Encoder`s or `Pretrainer`s of one hidden size and vocabulary size.
      batches: batches of the texts as `CorpusBatches` gives them, a few thousand tokens or more.
    Returns:
      What was done, a line each.
    Raises:
      InputError: when a size that both must share differs, or the teacher's embedding is of a kind
        that cannot be approximated.
    """
    for name in ("vocab_size", "hidden_size"):
        ours, theirs = getattr(student.config, name), getattr(teacher.config, name)
        if ours != theirs:
            raise InputError(f"student and teacher need the same {name}. Received: student {ours}, "
                             f"teacher {theirs}")
    lines = [_copy(student, teacher, "cls/")]
    if _table(student.config) == _table(teacher.config):
        lines.append(_copy(student, teacher, "bert/embeddings/"))
    else:
        lines.append(_approximate(student.encoder.embedding, teacher.encoder.embedding, batches))
    if student.config.normalization != teacher.config.normalization:
        lines.append(_fit_norm(student.encoder, teacher.encoder, batches))
    return [line for line in lines if line]


def _table(config):
    return config.embedding_size, config.trigram_input, config.type_vocab_size


def _copy(student, teacher, prefix):
    taught = {_plain(name): variable for name, variable in google_names(teacher).items()}
    copied = []
    for name, variable in google_names(student).items():
        if name.startswith(prefix) and _plain(name) in taught:
            value = taught[_plain(name)].numpy()
            if value.ndim != len(variable.shape):
                raise InputError(f"the teacher's {name} has another shape than the student's")
            # The teacher may know more positions than the student has, or fewer.
            rows = min(value.shape[0], variable.shape[0])
            if value.shape[1:] != tuple(variable.shape[1:]):
                raise InputError(f"the teacher's {name} has the shape {value.shape}, the "
                                 f"student's {tuple(variable.shape)}")
            variable.assign(np.concatenate([value[:rows], variable.numpy()[rows:]]))
            copied.append(name)
    return f"copied from the teacher: {', '.join(copied)}" if copied else ""


def _plain(name):
    return name.replace("FakeLayerNorm", "LayerNorm")


def _approximate(target, source, batches):
    """Word, position and segment parts of the teacher's embedding, each on its own.

    They are parts of what the teacher's norm gives, or, where the student has a norm of the same
    kind and takes it over, of what that norm gets.
    """
    same_norm = target.config.normalization == source.config.normalization
    if target.config.type_vocab_size != source.config.type_vocab_size:
        raise InputError("student and teacher need the same type_vocab_size. Received: student "
                         f"{target.config.type_vocab_size}, teacher "
                         f"{source.config.type_vocab_size}")
    if source.projection is not None:
        raise InputError("the teacher's embedding has a projection or trigrams and another size "
                         "than the student's; only a plain word table can be approximated")
    words, positions = source.word_table.numpy(), source.position_table.numpy()
    types = np.zeros((1, words.shape[1])) if source.type_table is None else (
        source.type_table.numpy())
    seen_ids, seen_positions, seen_types = _occurrences(batches)

    def frequencies(seen, size):
        # One more of each, so that what these texts lack is approximated too.
        counts = np.bincount(seen, minlength=size)[:size] + 1.0
        return counts / counts.sum()

    def shown(embeddings):
        if same_norm:
            return embeddings
        return source.norm(embeddings[np.newaxis].astype(np.float32)).numpy()[0]

    frequency = frequencies(seen_ids, len(words))
    mean_position = frequencies(seen_positions, len(positions)) @ positions
    mean_type = frequencies(seen_types, len(types)) @ types
    sample = words[np.random.default_rng(0).choice(seen_ids, _SAMPLED_TOKENS)]

    by_word = shown(words + mean_position + mean_type)
    center = frequency @ by_word
    by_word -= center
    _, directions = np.linalg.eigh((by_word * frequency[:, np.newaxis]).T @ by_word)
    directions = directions[:, ::-1][:, : target.config.embedding_size]
    center_of_sample = shown(sample + mean_position + mean_type).mean(0)
    by_position = np.stack([shown(sample + row + mean_type).mean(0) for row in positions])
    by_type = np.stack([shown(sample + mean_position + row).mean(0) for row in types])

    target.word_table.assign(by_word @ directions)
    kernel = np.zeros(target.projection.kernel.shape, np.float32)
    # Of the trigram [next, current, previous] the middle; the others start silent.
    start = target.config.embedding_size if target.config.trigram_input else 0
    kernel[start : start + target.config.embedding_size] = directions.T
    target.projection.kernel.assign(kernel)
    rows = min(len(positions), target.config.max_positions)
    position_table = target.position_table.numpy()
    position_table[:rows] = (by_position - center_of_sample)[:rows]
    target.position_table.assign(position_table)
    if target.type_table is not None:
        target.type_table.assign(by_type - center_of_sample)
    if same_norm:
        target.projection.bias.assign(center)
        target.norm.set_weights(source.norm.get_weights())
    else:
        target.projection.bias.assign(np.zeros_like(center))
        target.norm.gamma.assign(np.ones_like(center))
        target.norm.beta.assign(center)
    kept = 1 - (frequency @ np.square(by_word - by_word @ directions @ directions.T).sum(1)
                / (frequency @ np.square(by_word).sum(1)))
    return (f"the teacher's word table of {words.shape[1]} columns approximated by "
            f"{target.config.embedding_size}: {kept:.1%} of its variance in the texts")


def _occurrences(batches):
    """The ids, positions and segments of every real token."""
    columns = []
    for batch in batches:
        real = np.asarray(batch["input_mask"]) == 1
        positions = np.broadcast_to(np.arange(real.shape[1]), real.shape)
        columns.append([np.asarray(batch["original_word_ids"])[real], positions[real],
                        np.asarray(batch["input_type_ids"])[real]])
    return [np.concatenate(column) for column in zip(*columns, strict=True)]


def _fit_norm(student, teacher, batches):
    """Least squares of the teacher's embedding output, for the gamma and beta of each feature."""
    norm = student.embedding.norm
    norm.gamma.assign(np.ones(norm.gamma.shape))
    norm.beta.assign(np.zeros(norm.beta.shape))

    def outputs(encoder):
        return np.concatenate([
            encoder.embedding(batch["original_word_ids"], batch["input_type_ids"]).numpy()[
                np.asarray(batch["input_mask"]) == 1].astype(np.float64) for batch in batches])

    inputs, wanted = outputs(student), outputs(teacher)
    centered, target = inputs - inputs.mean(0), wanted - wanted.mean(0)
    gamma = (centered * target).mean(0) / np.maximum(np.square(centered).mean(0), 1e-12)
    norm.gamma.assign(gamma)
    norm.beta.assign(wanted.mean(0) - gamma * inputs.mean(0))
    explained = 1 - np.square(target - gamma * centered).sum() / np.square(target).sum()
    return f"embedding norm fitted: {explained:.1%} of the teacher's variance explained"
