"""Runs the Task Library, in its own environment: requests in on stdin, answers out on stdout.

A request is {"kind", "file", ...} with the "texts" of a classifier, or the "question" and the
"context" of a question answerer. An answer is a list, or {"error"} where the file is refused.
"""

import json
import sys

from tflite_support.task import text


def classify(file, texts):
    classifier = text.BertNLClassifier.create_from_file(file)
    return [{category.category_name: category.score
             for category in classifier.classify(one).classifications[0].categories}
            for one in texts]


def answer(file, question, context):
    answerer = text.BertQuestionAnswerer.create_from_file(file)
    return [{"text": one.text, "start": one.pos.start, "end": one.pos.end, "logit": one.pos.logit}
            for one in answerer.answer(context, question).answers]


ANSWERS = {"classification": classify, "multi_label": classify,
           "question_answering": answer}


def main():
    answers = []
    for request in json.load(sys.stdin):
        try:
            answers.append(ANSWERS[request.pop("kind")](**request))
        except (RuntimeError, ValueError) as error:
            answers.append({"error": str(error)})
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
