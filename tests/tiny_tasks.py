"""Files of tasks of every kind about a few words, which a tiny model can learn.

A function takes texts, a list of words each, and returns the content of the file.
"""

import json

WORDS = ("good", "fine", "warm", "bad", "dull", "cold")


def tagging(texts):
    """Bad words are names of one type, dull ones of another."""
    tags = {"bad": "B-X", "dull": "B-Y"}
    return "\n\n".join("\n".join(f"{word}\t{tags.get(word, 'O')}" for word in words)
                       for words in texts)


def squad(texts):
    """The answer is the second word."""
    return json.dumps({"data": [{"paragraphs": [{"context": " ".join(words), "qas": [
        {"id": str(number), "question": "the film", "answers": [
            {"text": words[1], "answer_start": len(words[0]) + 1}]}]}
        for number, words in enumerate(texts)]}]})


def squad_v2(texts):
    """The same; what is asked of a book has no answer."""
    found = json.loads(squad(texts))
    for paragraph in found["data"][0]["paragraphs"][::3]:
        paragraph["qas"][0] |= {"question": "cold", "answers": [], "is_impossible": True}
    return json.dumps(found)


def stsb(texts):
    """How many words of the first are good ones."""
    return "sentence1\tsentence2\tscore\n" + "".join(
        f"{' '.join(words)}\tfilm\t{sum(word in WORDS[:3] for word in words)}\n"
        for words in texts)


def classification(texts):
    """Each text has the words of one of three classes alone, those of its first word's."""
    rows = []
    for words in texts:
        kind = WORDS.index(words[0]) // 2
        kept = [word for word in words if WORDS.index(word) // 2 == kind]
        rows.append(f"{' '.join(kept)},{('bright', 'dark', 'grey')[kind]}\n")
    return "said,mood\n" + "".join(rows)


def multi_label(texts):
    """The first two words of each text, with the classes of both as labels."""
    def moods(words):
        return "|".join(sorted({("bright", "dark", "grey")[WORDS.index(word) // 2]
                                for word in words}))

    return "said,moods\n" + "".join(
        f"{' '.join(words[:2])},{moods(words[:2])}\n" for words in texts)
