"""What a student takes over from its teacher before training: embedding, heads and blocks."""

import re
from collections.abc import Callable, Sequence

import numpy as np

from mobilebert_tf import presets
from mobilebert_tf.checkpoints.names import google_names
from mobilebert_tf.errors import InputError

# Tokens of the texts that averages of the embedding are taken over; more change nothing.
_SAMPLED_TOKENS = 1000


def start_from_teacher(student, teacher, batches: Sequence[dict]) -> list[str]:
    """Give a student its teacher's embedding, and the heads that both have.

    Variables are copied by name. If the word tables have different widths, the student's table
    and the projection after it become the best approximation of the teacher's embedding at that
    width; pieces are weighted by how often they occur. If the teacher normalizes its embedding and
    the student has a NoNorm, gamma and beta of each feature are fitted to the texts, so that the
    first block of the student sees nearly the same as the teacher's. (google-research's code
    leaves that norm an identity.)

    Args:
      student, teacher: `Encoder`s or `Pretrainer`s of one hidden size and vocabulary size.
      batches: batches of the texts as `CorpusBatches` gives them, a few thousand tokens or more.
    Returns:
      Lines that say what was done.
    Raises:
      InputError: when sizes that must be equal differ, or the teacher's embedding is of a kind that
        cannot be approximated.
    """
    for name in ("vocab_size", "hidden_size"):
        ours, theirs = getattr(student.config, name), getattr(teacher.config, name)
        if ours != theirs:
            raise InputError(f"student and teacher need the same {name}. Received: student {ours}, "
                             f"teacher {theirs}")
    lines = [_copy(student, teacher, "cls/")]
    if _table(student.config) == _table(teacher.config):
        lines.append(_copy(student, teacher, "bert/embeddings/"))
    elif _table(student.config) == (*_table(teacher.config)[:2], 0):
        lines.append(_copy(student, teacher, "bert/embeddings/"))
        lines.append(_add_first_segment(student.encoder.embedding, teacher.encoder.embedding))
    else:
        lines.append(_approximate(student.encoder.embedding, teacher.encoder.embedding, batches))
    if student.config.normalization != teacher.config.normalization:
        lines.append(_fit_norm(student.encoder, teacher.encoder, batches))
    return [line for line in lines if line]


def check_start_blocks(student: str, blocks: Sequence[int] | None) -> None:
    """Raise InputError if blocks of a teacher are chosen for a student of its own weights."""
    if blocks is not None and not presets.is_config(student):
        raise InputError(f"start_blocks is for a student of a preset; {student} has weights of its "
                         "own to start from")


def taken_over(student, teacher, plan, blocks: Sequence[int] | None = None) -> dict:
    """Return what a student of random weights takes over from its teacher, as JSON values.

    Args:
      student, teacher, plan, blocks: as for `start`.
    """
    with_embedding, chosen = plan.start(
        student.config.num_blocks, teacher.config.num_blocks, blocks)
    return {"embedding": with_embedding, "blocks": list(chosen)}


def start(student, teacher, plan, texts: Callable[[], list[dict]],
          blocks: Sequence[int] | None = None) -> list[str]:
    """Start a student of random weights from its teacher, as a plan says.

    The plan says whether the student takes the teacher's embedding and heads, and which blocks. A
    student of another hidden size keeps its random embedding.

    Args:
      student, teacher: `Encoder`s or `Pretrainer`s of one vocabulary size.
      plan: a `DistillationPlan`, a `RecipePlan` or a `TaskPlan`.
      texts: returns the batches for `start_from_teacher`.
      blocks: the teacher's block for each of the student's, instead of the plan's; empty for none.
    Returns:
      Lines that say what was done.
    Raises:
      InputError: for a recipe that starts from a trained student; and see `start_from_teacher` and
        `copy_blocks`.
    """
    chosen = taken_over(student, teacher, plan, blocks)
    lines = []
    if chosen["embedding"]:
        lines += (start_from_teacher(student, teacher, texts())
                  if student.config.hidden_size == teacher.config.hidden_size else
                  ["the embedding starts from random weights: the student's hidden size is not "
                   "the teacher's"])
    if chosen["blocks"]:
        lines.append(copy_blocks(student, teacher, chosen["blocks"]))
    return lines


def copy_blocks(student, teacher, blocks: Sequence[int]) -> str:
    """Give each block of a student the weights of a teacher's block.

    Args:
      student, teacher: `Encoder`s or `Pretrainer`s whose blocks have the same sizes.
      blocks: the teacher's block for each of the student's, counted from 0.
    Returns:
      A line that says what was done.
    Raises:
      InputError: when the blocks differ in their variables or sizes, a block is not one of the
        teacher's, or there is not one for each of the student's.
    """
    if len(blocks) != student.config.num_blocks:
        raise InputError(f"the student has {student.config.num_blocks} blocks, and {len(blocks)} "
                         f"blocks of the teacher are given: {', '.join(map(str, blocks))}")
    unknown = [block for block in blocks if not 0 <= block < teacher.config.num_blocks]
    if unknown:
        raise InputError(f"the teacher has no block {unknown[0]}, only 0 to "
                         f"{teacher.config.num_blocks - 1}")
    of_teacher = google_names(teacher)
    for name, variable in google_names(student).items():
        found = re.fullmatch(r"(bert/encoder/layer_)(\d+)(/.*)", name)
        if found is None:
            continue
        source = f"{found[1]}{blocks[int(found[2])]}{found[3]}"
        if source not in of_teacher or of_teacher[source].shape != variable.shape:
            raise InputError("a student that starts from blocks of its teacher needs blocks of "
                             f"the same sizes; {source} of the teacher is no {name} of the student")
        variable.assign(of_teacher[source])
    return f"blocks copied from the teacher's: {', '.join(map(str, blocks))}"


def _table(config):
    return config.embedding_size, config.trigram_input, config.type_vocab_size


def _copy(student, teacher, prefix):
    of_teacher = {_plain(name): variable for name, variable in google_names(teacher).items()}
    copied = []
    for name, variable in google_names(student).items():
        if name.startswith(prefix) and _plain(name) in of_teacher:
            value = of_teacher[_plain(name)].numpy()
            if value.ndim != len(variable.shape):
                raise InputError(f"the teacher's {name} has another shape than the student's")
            # The teacher may have more positions than the student, or fewer.
            rows = min(value.shape[0], variable.shape[0])
            if value.shape[1:] != tuple(variable.shape[1:]):
                raise InputError(f"the teacher's {name} has the shape {value.shape}, the "
                                 f"student's {tuple(variable.shape)}")
            variable.assign(np.concatenate([value[:rows], variable.numpy()[rows:]]))
            copied.append(name)
    return f"copied from the teacher: {', '.join(copied)}" if copied else ""


def _add_first_segment(student, teacher):
    """Add the teacher's embedding of the first segment to the positions of a student without any.

    For texts of one segment this is exact (DistilBERT has no segments, and loses that row).
    """
    student.position_table.assign_add(
        np.broadcast_to(teacher.type_table[0], student.position_table.shape))
    return "the student has no segments: the teacher's first one is added to the positions"


def _plain(name):
    return name.replace("FakeLayerNorm", "LayerNorm")


def _approximate(target, source, batches):
    """Approximate the teacher's embedding by word, position and segment tables of another width.

    What is approximated is the output of the teacher's norm; if the student has the same kind of
    norm, and so can take it over, the input of that norm.
    """
    same_norm = target.config.normalization == source.config.normalization
    if target.config.type_vocab_size != source.config.type_vocab_size:
        raise InputError("student and teacher need the same type_vocab_size. Received: student "
                         f"{target.config.type_vocab_size}, teacher "
                         f"{source.config.type_vocab_size}")
    if source.projection is not None:
        raise InputError("the teacher's embedding has a projection or trigrams and another size "
                         "than the student's; only a plain word table can be approximated")

    def normed(embeddings):
        if same_norm:
            return embeddings
        # The norm may compute in bfloat16, in which NumPy's sums of many rows are wrong.
        return source.norm(embeddings[np.newaxis].astype(np.float32)).numpy()[0].astype(np.float64)

    frequency, by_word, by_position, by_type = _mean_embeddings(source, normed, batches)
    center = frequency @ by_word
    by_word -= center
    _, directions = np.linalg.eigh((by_word * frequency[:, np.newaxis]).T @ by_word)
    directions = directions[:, ::-1][:, : target.config.embedding_size]
    _assign_tables(target, by_word @ directions, directions, by_position, by_type)
    if same_norm:
        target.projection.bias.assign(center)
        target.norm.set_weights(source.norm.get_weights())
    else:
        target.projection.bias.assign(np.zeros_like(center))
        target.norm.gamma.assign(np.ones_like(center))
        target.norm.beta.assign(center)
    kept = 1 - (frequency @ np.square(by_word - by_word @ directions @ directions.T).sum(1)
                / (frequency @ np.square(by_word).sum(1)))
    return (f"the teacher's word table of {by_word.shape[1]} columns approximated by "
            f"{target.config.embedding_size}: {kept:.1%} of its variance in the texts")


def _mean_embeddings(source, normed, batches):
    """Return what each piece, position and segment gives on average in the texts.

    Returns:
      (frequencies of the pieces; embeddings of the pieces; those of the positions and of the
      segments, as differences from their mean).
    """
    words, positions = source.word_table.numpy(), source.position_table.numpy()
    types = np.zeros((1, words.shape[1])) if source.type_table is None else (
        source.type_table.numpy())
    seen_ids, seen_positions, seen_types = _occurrences(batches)

    def frequencies(seen, size):
        # One more of each: pieces that these texts lack are approximated too.
        counts = np.bincount(seen, minlength=size)[:size] + 1.0
        return counts / counts.sum()

    frequency = frequencies(seen_ids, len(words))
    mean_position = frequencies(seen_positions, len(positions)) @ positions
    mean_type = frequencies(seen_types, len(types)) @ types
    sample = words[np.random.default_rng(0).choice(seen_ids, _SAMPLED_TOKENS)]
    center = normed(sample + mean_position + mean_type).mean(0)
    return (frequency, normed(words + mean_position + mean_type),
            np.stack([normed(sample + row + mean_type).mean(0) for row in positions]) - center,
            np.stack([normed(sample + mean_position + row).mean(0) for row in types]) - center)


def _assign_tables(target, word_table, directions, by_position, by_type):
    """Give an embedding its tables, and a projection that leads from the word table to them."""
    target.word_table.assign(word_table)
    kernel = np.zeros(target.projection.kernel.shape, np.float32)
    # The trigram is [next, current, previous]; only the current token is used at first.
    start = target.config.embedding_size if target.config.trigram_input else 0
    kernel[start : start + target.config.embedding_size] = directions.T
    target.projection.kernel.assign(kernel)
    rows = min(len(by_position), target.config.max_positions)
    position_table = target.position_table.numpy()
    position_table[:rows] = by_position[:rows]
    target.position_table.assign(position_table)
    if target.type_table is not None:
        target.type_table.assign(by_type)


def _occurrences(batches):
    """Return the ids, positions and segments of all tokens that are not padding."""
    columns = []
    for batch in batches:
        real = np.asarray(batch["input_mask"]) == 1
        positions = np.broadcast_to(np.arange(real.shape[1]), real.shape)
        columns.append([np.asarray(batch["original_word_ids"])[real], positions[real],
                        np.asarray(batch["input_type_ids"])[real]])
    return [np.concatenate(column) for column in zip(*columns, strict=True)]


def _fit_norm(student, teacher, batches):
    """Fit gamma and beta of each feature to the teacher's embedding output by least squares."""
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
