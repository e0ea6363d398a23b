import random

import pytest

from mobilebert_tf.data.corpus.document import Document
from mobilebert_tf.data.corpus.pairs import FOLLOWS, RANDOM, Pair, pairs


def document(number, lengths):
    """Every token says which document, sentence and place it comes from."""
    return Document(bytes([number]), [[(number, sentence, place) for place in range(length)]
                                      for sentence, length in enumerate(lengths)])


def googles(documents, index, room, rng):
    """create_instances_from_document, line for line, for sentences of one token: nothing is cut."""
    found, chunk, i = [], [], 0
    rng.random()
    while i < len(documents[index]):
        chunk.append(documents[index][i])
        if i == len(documents[index]) - 1 or len(chunk) >= room:
            a_end = 1
            if len(chunk) >= 2:
                a_end = rng.randint(1, len(chunk) - 1)
            tokens_a = [token for sentence in chunk[:a_end] for token in sentence]
            tokens_b = []
            is_random_next = False
            if len(chunk) == 1 or rng.random() < 0.5:
                is_random_next = True
                target_b_length = room - len(tokens_a)
                for _ in range(10):
                    other = rng.randint(0, len(documents) - 1)
                    if other != index:
                        break
                random_start = rng.randint(0, len(documents[other]) - 1)
                for j in range(random_start, len(documents[other])):
                    tokens_b.extend(documents[other][j])
                    if len(tokens_b) >= target_b_length:
                        break
                i -= len(chunk) - a_end
            else:
                tokens_b = [token for sentence in chunk[a_end:] for token in sentence]
            found.append((tokens_a, tokens_b, is_random_next))
            rng.random()  # whether the next target is short
            chunk = []
        i += 1
    return found


@pytest.mark.parametrize("seed", range(20))
def test_pairs_are_googles(seed):
    documents = [document(number, [1] * (3 + 17 * number)) for number in range(6)]
    for index, made_of in enumerate(documents):
        expected = googles([each.sentences for each in documents], index, 13, random.Random(seed))
        found = list(pairs(documents, index, 16, 0.0, random.Random(seed)))
        assert [(pair.first, pair.second, pair.label == RANDOM) for pair in found] == expected
        assert sum(len(pair.first) for pair in found) <= len(made_of.sentences)


class Scripted(random.Random):
    """Draws what it is told to."""

    def __init__(self, *draws):
        super().__init__()
        self.draws = list(draws)

    def random(self):
        return self.draws.pop(0)

    def randint(self, low, high):
        value = self.draws.pop(0)
        assert low <= value <= high
        return value

    def randrange(self, stop):
        return self.randint(0, stop - 1)


def test_a_pair_by_hand():
    documents = [document(0, [2, 2, 2]), document(1, [1, 1, 4])]
    draws = Scripted(
        0.9,             # the full 7 tokens: all three sentences, 6 of them
        1, 0.3,          # the first is one sentence, the second random
        0, 1,            # a draw of the same document does not count
        1,               # from its second sentence on, until 5 are reached
        0.9,             # again the full target: sentences 1 and 2, put back
        1, 0.7,          # the rest follows
        0.9)
    found = list(pairs(documents, 0, 10, 0.1, draws))
    first, second, third = documents[0].sentences
    assert found == [
        Pair(first, documents[1].sentences[1] + documents[1].sentences[2], RANDOM, 0),
        Pair(second, third, FOLLOWS, 0)]
    assert draws.draws == []


def test_short_targets_make_short_pairs():
    documents = [document(number, [1] * 2000) for number in range(4)]
    lengths = [len(pair.first) + len(pair.second)
               for pair in pairs(documents, 0, 43, 0.5, random.Random(1)) if pair.label == FOLLOWS]
    full = sum(length == 40 for length in lengths) / len(lengths)
    assert 0.2 < full < 0.8
    assert min(lengths) < 20


def test_cuts_leave_a_run_of_the_longer_segment():
    documents = [document(0, [30, 5, 30]), document(1, [40, 40])]
    starts = set()
    for seed in range(40):
        for pair in pairs(documents, 0, 23, 0.0, random.Random(seed)):
            assert len(pair.first) + len(pair.second) <= 20
            assert pair.second
            for segment in (pair.first, pair.second):
                sentences = {token[:2] for token in segment}
                if len(sentences) == 1:
                    places = [place for _, _, place in segment]
                    assert places == list(range(places[0], places[0] + len(places)))
                    starts.add(places[0])
    assert len(starts) > 3  # cut at both ends
    (pair, *_) = pairs([document(0, [30, 50]), document(1, [1])], 0, 103, 0.0,
                       Scripted(0.9, 1, 0.7, 0.9))
    assert (len(pair.first), len(pair.second), pair.cut) == (30, 50, 0)


def test_cut_tokens_are_counted_by_hand():
    (pair, *_) = pairs([document(0, [3, 4])], 0, 9, 0.0, Scripted(0.9, 1, 0.7, 0.1, 0.9))
    assert pair.cut == 1
    assert pair.first == [(0, 0, place) for place in range(3)]
    assert pair.second == [(0, 1, place) for place in range(1, 4)]  # 0.1: one off the front


def test_random_parts_are_never_of_the_same_document():
    twins = [document(0, [1] * 50), Document(bytes([0]), [[(0, 9, 9)]] * 50),
             document(1, [1] * 5)]
    found = [pair for seed in range(20) for pair in pairs(twins, 0, 16, 0.1, random.Random(seed))]
    random_pairs = [pair for pair in found if pair.label == RANDOM]
    assert len(random_pairs) > 20
    assert {token[0] for pair in random_pairs for token in pair.second} == {1}


def test_without_another_document_the_second_part_follows():
    found = list(pairs([document(0, [1] * 27)], 0, 16, 0.0, random.Random(1)))
    assert [len(pair.first) + len(pair.second) for pair in found] == [13, 13]  # one alone is left
    assert {pair.label for pair in found} == {FOLLOWS}
    assert list(pairs([document(0, [4])], 0, 16, 0.0, random.Random(1))) == []
