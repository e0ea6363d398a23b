"""The published tables agree with themselves, with each other and with our counts."""

import dataclasses

import pytest

from mobilebert_tf import counting, presets
from mobilebert_tf.errors import InputError
from mobilebert_tf.export.comparison import averages, published
from mobilebert_tf.export.comparison.averages import AVERAGES
from mobilebert_tf.export.comparison.footnotes import FOOTNOTES
from mobilebert_tf.export.comparison.published import PUBLISHED
from mobilebert_tf.export.comparison.score_tables import common_score, main_figures
from mobilebert_tf.export.comparison.systems import SYSTEMS, chosen


def row(system, source):
    found, = (one for one in PUBLISHED if (one.system, one.source) == (system, source))
    return found


def test_the_three_averages_of_one_model_differ():
    """BERT-base and the values that the definitions give, added up by hand."""
    base = row("bert_base", published.MOBILEBERT)
    # (52.1 + 93.5 + 86.85 + 86.45 + 80.2 + 84.0 + 90.5 + 66.4 + 65.1) / 9
    assert averages.leaderboard(base) == pytest.approx(78.3444, abs=1e-4)
    assert averages.plain_nine(base) == pytest.approx(716.4 / 9)
    tiny = row("mobilebert_tiny", published.MOBILEBERT)
    assert tiny.average == 75.8
    assert averages.plain_nine(tiny) == pytest.approx(77.0)
    assert tiny.scores == row("mobilebert_tiny", published.TINYBERT).scores


@pytest.mark.parametrize(("system", "source", "expected"), [
    ("tinybert_4l", published.TINYBERT, 77.04), ("bert_base", published.TINYBERT, 79.47),
    ("tinybert_6l", published.TINYBERT, 79.44), ("distilbert_6l", published.TINYBERT, 76.78),
    ("bert_tiny_312", published.TINYBERT, 70.18), ("bert_small", published.TINYBERT, 72.09),
    ("bert_pkd_4l", published.TINYBERT, 72.60), ("distilbert_4l", published.TINYBERT, 71.93),
    ("bert_base", published.MOBILEBERT, 78.34), ("bert_tiny", published.COMPACT, 64.14),
    ("bert_mini", published.COMPACT, 65.76), ("bert_small", published.COMPACT, 71.17),
    ("bert_medium", published.COMPACT, 73.51), ("distilbert_6l", published.DISTILBERT, 77.01)])
def test_averages_to_two_digits(system, source, expected):
    assert AVERAGES[source.average].of(row(system, source)) == pytest.approx(expected, abs=0.005)


# Three rows do not give what is printed: each has a footnote. BERT-tiny's is rounding alone.
@pytest.mark.parametrize("figures", [one for one in PUBLISHED if one.average is not None],
                         ids=lambda one: f"{one.system}, {one.source.name}")
def test_printed_averages_are_those_of_the_printed_columns(figures):
    computed = AVERAGES[figures.source.average].of(figures)
    if computed is None:
        assert figures.source is published.MOBILEBERT  # it lacks WNLI and the second metrics
        assert not figures.other_scores
    elif figures == row("bert_base", published.DISTILBERT):
        assert computed == pytest.approx(79.72, abs=0.005)
        mended = dataclasses.replace(figures, scores={**figures.scores, "mnli_m": 84.7})
        assert averages.dev_macro(mended) == pytest.approx(figures.average, abs=0.05)
        assert figures.footnotes == ("bert_base_mnli",)
    else:
        assert computed == pytest.approx(figures.average, abs=0.0601)


def test_no_average_of_a_row_with_a_dash():
    base = row("bert_base", published.MOBILEBERT)
    for task in base.scores:
        lacking = dataclasses.replace(base, scores={
            name: score for name, score in base.scores.items() if name != task})
        assert averages.leaderboard(lacking) is None
        assert averages.plain_nine(lacking) is None
    assert averages.leaderboard(dataclasses.replace(base, other_scores={})) is None
    assert averages.dev_macro(base) is None


def test_the_common_scale_is_of_test_sets_alone():
    for figures in PUBLISHED:
        if figures.source.split == "dev":
            assert common_score(figures) is None
    whole = row("distilbert_6l", published.DISTILBERT)
    assert common_score(dataclasses.replace(whole, scores={
        **whole.scores, "mnli_mm": 80.0})) is None


def test_the_row_under_a_wrong_name_is_the_other_systems():
    wrong = row("distilbert_6l", published.MOBILEBERT)
    assert wrong.scores == row("bert_pkd_6l", published.MOBILEBERT).scores
    assert wrong.is_wrong
    assert {one.system for one in PUBLISHED if one.is_wrong} == {"distilbert_6l", "tinybert_4l"}
    assert all(one.footnotes for one in PUBLISHED if one.is_wrong)


def test_the_summary_takes_a_right_row_with_all_columns():
    for system, source in (("distilbert_6l", published.TINYBERT), ("tinybert_4l",
                           published.TINYBERT), ("mobilebert", published.MOBILEBERT),
                           ("bert_small", published.TINYBERT), ("pd_6l", published.TINYBERT),
                           ("bert_mini", published.COMPACT), ("minilm_12l_384", published.MINILM)):
        assert main_figures(system).source is source, system
    assert main_figures("minilm_6l_384") is None


def test_records_name_systems_tasks_and_footnotes():
    for one in PUBLISHED:
        assert one.system in SYSTEMS
        assert set(one.footnotes) <= set(FOOTNOTES)
        assert set(one.scores) <= set(one.source.columns)
        assert all(0 <= score <= 100 for score in (*one.scores.values(),
                                                   *one.other_scores.values()))
    assert set(FOOTNOTES) == {name for one in PUBLISHED for name in one.footnotes}
    keys = [(one.system, one.source.name) for one in PUBLISHED]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(("system", "parameters"), [
    ("bert_base", 109_482_240), ("bert_large", 335_141_888), ("tinybert_6l", 66_955_008),
    ("bert_pkd_6l", 66_955_008), ("pd_6l", 66_955_008), ("bert_pkd_4l", 52_779_264),
    ("bert_pkd_3l", 45_691_392), ("distilbert_6l", 66_362_880), ("tinybert_4l", 14_350_248),
    ("bert_tiny", 4_385_920), ("bert_mini", 11_170_560), ("bert_small", 28_763_648),
    ("bert_medium", 41_373_184), ("minilm_6l_384", 22_713_216), ("minilm_12l_384", 33_360_000),
    ("mobilebert", 24_581_888), ("mobilebert_tiny", 15_485_696),
    # Its source prints 52.2M: 66,362,880 less two blocks of 7,087,872.
    ("distilbert_4l", 52_187_136)])
def test_each_system_has_its_published_size(system, parameters):
    assert counting.parameters(presets.get(SYSTEMS[system].preset)).total == parameters


def test_printed_sizes_are_near_ours():
    """Within 3 %; MobileBERT's 25.3M and the DistilBERT row under a wrong name are farther off."""
    for one in PUBLISHED:
        config = presets.get(SYSTEMS[one.system].preset)
        if one.parameters and not one.is_wrong:
            assert one.parameters == pytest.approx(counting.parameters(config).total, rel=0.03)
        if one.flops:
            assert one.flops == pytest.approx(counting.flops(config).total, rel=0.06), one.system


def test_one_architecture_has_one_preset():
    configs = {system.preset: presets.get(system.preset) for system in SYSTEMS.values()}
    assert len(set(configs.values())) == len(configs)


def test_task_specific_systems_have_the_asterisk():
    assert {name for name, system in SYSTEMS.items() if system.is_task_specific} == {
        "tinybert_4l", "tinybert_6l", "bert_pkd_3l", "bert_pkd_4l", "bert_pkd_6l"}


def test_systems_are_chosen_by_name_in_the_fields_order():
    assert list(chosen(["mobilebert", "bert_base"])) == ["bert_base", "mobilebert"]
    assert chosen(None) == SYSTEMS
    with pytest.raises(InputError, match="unknown system 'tinybert'; did you mean tinybert_"):
        chosen(["tinybert"])
