"""What a student takes over from its teacher: by name where sizes agree, else as near as can be."""

import numpy as np
import pytest

from mobilebert_tf.checkpoints.names import google_names
from mobilebert_tf.errors import InputError
from mobilebert_tf.precision import computing_in
from mobilebert_tf.training.recipes.recipe_plan import RecipePlan
from mobilebert_tf.training.starting import (
    check_start_blocks,
    copy_blocks,
    start,
    start_from_teacher,
)

ROWS, LENGTH, PIECES = 64, 24, 120


def make_texts(seed=0, skewed=True):
    """One batch as `CorpusBatches` gives it: pieces as frequent as in texts, or all alike."""
    random = np.random.default_rng(seed)
    likely = 1 / np.arange(1, PIECES + 1) ** 1.5 if skewed else np.ones(PIECES)
    mask = (np.arange(LENGTH) < random.integers(4, LENGTH + 1, (ROWS, 1))).astype(np.int32)
    ids = random.choice(PIECES, (ROWS, LENGTH), p=likely / likely.sum()).astype(np.int32) * mask
    types = (np.arange(LENGTH) >= LENGTH // 3).astype(np.int32) * mask
    return {"original_word_ids": ids, "input_mask": mask, "input_type_ids": types}


def embedded(model, texts):
    """What the embedding gives for real tokens, float64 `(tokens, hidden)`."""
    outputs = model.encoder.embedding(texts["original_word_ids"], texts["input_type_ids"])
    return outputs.numpy()[texts["input_mask"] == 1].astype(np.float64)


def error(student, teacher, texts):
    """Mean squared, as a part of the teacher's variance."""
    wanted = embedded(teacher, texts)
    return (np.square(embedded(student, texts) - wanted).mean()
            / np.square(wanted - wanted.mean(0)).mean())


def values(model):
    return {name: variable.numpy() for name, variable in google_names(model).items()}


@pytest.fixture(scope="module")
def ib_bert(build):
    return build("micro_ib_bert", 2, num_blocks=1)


@pytest.fixture(scope="module")
def bert(build):
    return build("micro_bert", 3, (), num_blocks=1)


def test_an_ib_bert_teachers_embedding_and_heads_are_copied_by_name(build, ib_bert):
    student = build("micro", 1, num_blocks=1)
    before, of_teacher = values(student), values(ib_bert)
    lines = start_from_teacher(student, ib_bert, [make_texts()])
    after = values(student)
    copied = [name for name in after if name.startswith(("cls/", "bert/embeddings/"))
              and "LayerNorm" not in name.split("/")[2]]
    assert len(copied) == 5 + 8
    for name in copied:
        np.testing.assert_array_equal(after[name], of_teacher[name], err_msg=name)
        assert not np.array_equal(after[name], before[name]), name
        assert name in " ".join(lines)
    for name in after:
        if name.startswith("bert/encoder/"):
            np.testing.assert_array_equal(after[name], before[name], err_msg=name)
    for name, value in values(ib_bert).items():  # the teacher stays
        np.testing.assert_array_equal(value, of_teacher[name])


def test_the_norm_is_the_best_affine_map_to_what_the_teacher_sees(build, ib_bert):
    student = build("micro", 1, num_blocks=1)
    texts = make_texts()
    lines = start_from_teacher(student, ib_bert, [
        {name: value[rows] for name, value in texts.items()}
        for rows in (slice(0, 10), slice(10, ROWS))])  # batches of any size
    fitted = error(student, ib_bert, texts)
    assert f"{1 - fitted:.1%}" in lines[-1]
    norm = student.encoder.embedding.norm
    gamma, beta = norm.gamma.numpy(), norm.beta.numpy()
    norm.gamma.assign(np.ones_like(gamma))
    norm.beta.assign(np.zeros_like(beta))
    inputs, wanted = embedded(student, texts), embedded(ib_bert, texts)
    for feature in range(0, 48, 7):
        expected = np.polyfit(inputs[:, feature], wanted[:, feature], 1)
        np.testing.assert_allclose((gamma[feature], beta[feature]), expected, rtol=1e-4, atol=1e-5)
    # The published start, an identity, and the teacher's own gamma and beta are further away.
    assert error(student, ib_bert, texts) > 3 * fitted
    of_teacher = ib_bert.encoder.embedding.norm
    norm.gamma.assign(of_teacher.gamma)
    norm.beta.assign(of_teacher.beta)
    assert error(student, ib_bert, texts) > 3 * fitted


def test_a_student_with_the_teachers_kind_of_norm_gets_the_same_embedding(build, ib_bert):
    student = build("micro_no_opt", 1, (), num_blocks=1)
    texts = make_texts()
    lines = start_from_teacher(student, ib_bert, [texts])
    assert len(lines) == 1
    np.testing.assert_allclose(embedded(student, texts), embedded(ib_bert, texts), atol=1e-5)


@pytest.mark.parametrize("positions", [24, 60])
def test_positions_that_one_of_them_lacks_stay(positions, build, ib_bert):
    student = build("micro", 1, (), num_blocks=1, max_positions=positions)
    before = student.embedding.position_table.numpy()
    start_from_teacher(student, ib_bert, [make_texts()])
    of_teacher = ib_bert.encoder.embedding.position_table.numpy()
    found = student.embedding.position_table.numpy()
    np.testing.assert_array_equal(found[:40], of_teacher[:positions])
    np.testing.assert_array_equal(found[40:], before[40:])


def test_heads_that_the_teacher_lacks_stay(build, ib_bert):
    student = build("micro", 1, num_blocks=1)
    before = values(student)
    start_from_teacher(student, ib_bert.encoder, [make_texts()])
    for name, value in values(student).items():
        assert np.array_equal(value, before[name]) == (not name.startswith("bert/embeddings")), name


def additive_error(model, texts):
    """That of the best sum of a vector a piece, a position and a segment: lstsq of one-hots."""
    real = texts["input_mask"] == 1
    positions = np.broadcast_to(np.arange(LENGTH), real.shape)
    one_hots = np.concatenate([np.eye(size)[column[real]] for size, column in (
        (PIECES, texts["original_word_ids"]), (LENGTH, positions),
        (2, texts["input_type_ids"]))], axis=1)
    wanted = embedded(model, texts)
    fitted = one_hots @ np.linalg.lstsq(one_hots, wanted, rcond=None)[0]
    return np.square(fitted - wanted).mean() / np.square(wanted - wanted.mean(0)).mean()


def test_a_plain_word_table_is_approximated_the_better_the_wider_the_students(build, bert):
    texts = make_texts()
    errors = []
    for width in (2, 8, 24, 48):
        student = build("micro", 1, (), num_blocks=1, embedding_size=width)
        lines = start_from_teacher(student, bert, [texts])
        assert f"48 columns approximated by {width}" in lines[0]
        errors.append(error(student, bert, texts))
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 2 * errors[-1]
    # A sum is not what a norm gives; of all sums it is nearly the best: words, positions and
    # segments are a third of the variance each.
    assert additive_error(bert, texts) < errors[-1] < additive_error(bert, texts) + 0.03
    # Of the trigram, only the token itself speaks.
    kernel = student.embedding.projection.kernel.numpy().reshape(3, 48, 48)
    assert not kernel[[0, 2]].any()
    np.testing.assert_allclose(kernel[1] @ kernel[1].T, np.eye(48), atol=1e-5)


def test_in_bfloat16_an_approximation_is_as_good_as_in_float32(build, bert):
    texts, errors = make_texts(), []
    for precision in ("float32", "mixed_bfloat16"):
        with computing_in(precision):
            teacher = build("micro_bert", 3, (), num_blocks=1)
        student = build("micro", 1, (), num_blocks=1, embedding_size=24)
        start_from_teacher(student, teacher, [texts])
        errors.append(error(student, bert, texts))
    # Averages in bfloat16 would be off by the half.
    assert errors[1] == pytest.approx(errors[0], rel=0.02)


def test_with_the_teachers_kind_of_norm_the_full_width_is_exact(build, bert):
    texts = make_texts()
    errors = []
    for width in (8, 48):
        student = build("micro_no_opt", 1, (), num_blocks=1, embedding_size=width)
        start_from_teacher(student, bert, [texts])
        errors.append(error(student, bert, texts))
    assert errors[0] < 0.9
    assert errors[1] < 1e-8


def test_frequent_pieces_are_approximated_best(build, bert):
    """Two students, each started from its own texts, on the texts of one."""
    texts = make_texts(seed=1)
    errors = []
    for skewed in (True, False):
        student = build("micro", 1, (), num_blocks=1, embedding_size=4)
        start_from_teacher(student, bert, [make_texts(skewed=skewed)])
        errors.append(error(student, bert, texts))
    assert errors[0] < 0.8 * errors[1]


def test_padding_has_no_part_in_the_approximation(build, bert):
    found = []
    for filler in (0, 77):
        texts = make_texts()
        texts["original_word_ids"] = np.where(texts["input_mask"] == 1,
                                              texts["original_word_ids"], filler)
        student = build("micro", 1, (), num_blocks=1, embedding_size=8, trigram_input=False)
        start_from_teacher(student, bert, [texts])
        found.append(student.embedding.get_weights())
    for left, right in zip(*found, strict=True):
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize(("preset", "changes", "message"), [
    ("micro_bert", {"hidden_size": 64, "embedding_size": 64}, "same hidden_size. Received: "
                                                              "student 48, teacher 64"),
    ("micro_bert", {"vocab_size": 130}, "same vocab_size. Received: student 120, teacher 130"),
    ("micro_bert", {"type_vocab_size": 0}, "type_vocab_size. Received: student 2, teacher 0"),
    ("micro_ib_bert", {"type_vocab_size": 3}, "type_vocab_size. Received: student 2, teacher 3"),
    ("micro_ib_bert", {"embedding_size": 24}, "has a projection or trigrams and another size"),
])
def test_a_teacher_that_cannot_be_taken_over_is_refused(preset, changes, message, build):
    teacher = build(preset, 2, (), num_blocks=1, **changes)
    with pytest.raises(InputError, match=message):
        start_from_teacher(build("micro", 1, (), num_blocks=1), teacher, [make_texts()])


def test_a_student_without_segments_reads_one_segment_as_its_teacher(build, bert):
    student = build("micro_bert", 1, (), num_blocks=1, type_vocab_size=0)
    texts = make_texts()
    lines = start_from_teacher(student, bert, [texts])
    assert "added to the positions" in " ".join(lines)
    one_segment = {**texts, "input_type_ids": np.zeros_like(texts["input_type_ids"])}
    np.testing.assert_allclose(embedded(student, one_segment), embedded(bert, one_segment),
                               atol=1e-6)
    assert error(student, bert, texts) > 1e-3  # the second segment is lost


def test_blocks_are_copied_from_the_chosen_ones(build):
    teacher = build("micro_bert", 3, (), num_blocks=4)
    student = build("micro_bert", 1, (), num_blocks=2)
    before, of_teacher = values(student), values(teacher)
    assert copy_blocks(student, teacher, (0, 3)) == "blocks copied from the teacher's: 0, 3"
    after = values(student)
    compared = 0
    for name, value in after.items():
        if "/layer_" in name:
            source = name.replace("/layer_1/", "/layer_3/")
            np.testing.assert_array_equal(value, of_teacher[source], err_msg=name)
            compared += 1
        else:
            np.testing.assert_array_equal(value, before[name], err_msg=name)
    assert compared == 2 * 16
    # The block that was not chosen differs.
    assert any(not np.array_equal(after[name], of_teacher[name]) for name in after
               if "/layer_1/" in name)


def test_blocks_of_other_sizes_are_not_copied(build, bert, ib_bert):
    narrow = build("micro_bert", 1, (), num_blocks=1, intermediate_size=24)
    with pytest.raises(InputError, match="blocks of the same sizes; bert/encoder/layer_0/inter"):
        copy_blocks(narrow, bert, (0,))
    with pytest.raises(InputError, match="blocks of the same sizes"):
        copy_blocks(build("micro", 1, (), num_blocks=1), ib_bert.encoder, (0,))


def test_there_is_a_block_of_the_teacher_for_each_of_the_students(build):
    bert = build("micro_bert", 3, (), num_blocks=3)
    student = build("micro_bert", 1, (), num_blocks=2)
    with pytest.raises(InputError, match="the student has 2 blocks, and 1 blocks .* given: 0"):
        copy_blocks(student, bert, (0,))
    with pytest.raises(InputError, match="the teacher has no block 3, only 0 to 2"):
        copy_blocks(student, bert, (0, 3))


@pytest.mark.parametrize(("given", "expected"), [
    (None, "0, 2"), ((1, 2), "1, 2"), ((), None)], ids=["the recipe's", "chosen", "none"])
def test_a_recipe_starts_from_its_blocks_or_the_chosen_ones(build, given, expected):
    """DistilBERT's embedding is the teacher's, and its blocks are spread over the teacher's."""
    bert = build("micro_bert", 3, (), num_blocks=3)
    student = build("micro_bert", 1, (), num_blocks=2)
    lines = start(student, bert, RecipePlan(name="distilbert"), lambda: [], given)
    assert "bert/embeddings/word_embeddings" in lines[0]
    assert lines[1:] == ([f"blocks copied from the teacher's: {expected}"] if expected else [])


def test_a_student_of_another_width_keeps_its_random_embedding(build, bert):
    student = build("micro_bert", 1, (), hidden_size=24, embedding_size=24)
    before = values(student)
    line, = start(student, bert, RecipePlan(name="mobilebert"), lambda: [])
    assert "the student's hidden size is not the teacher's" in line
    for name, value in values(student).items():
        np.testing.assert_array_equal(value, before[name], err_msg=name)


def test_only_a_preset_starts_from_chosen_blocks():
    check_start_blocks("mobilebert", (0,))
    check_start_blocks("runs/student", None)
    with pytest.raises(InputError, match="runs/student has weights of its own"):
        check_start_blocks("runs/student", (0,))
