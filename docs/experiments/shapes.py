"""Which shape for mobilebert_small? Twelve blocks of nearly one latency, equal tokens.

A bottleneck is wider or a block has more feed-forwards, and the other is less. Each shape is
distilled from one teacher with the same batches, then gives sentence embeddings (STS-B) and is
fine-tuned for entities (MIT Restaurant). Latency is of random weights, which are as fast as
trained ones, by dynamic_int8 at 128 tokens, all files in one interleaved run. A shape that has its
line is not trained again. From the repository's root:

  python docs/experiments/shapes.py --teacher bge-small-en-v1.5 --corpus sentences --glue glue \\
    --restaurant restaurant --work shapes --output shapes.jsonl
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from trial import read
from trial_report import exported
from trial_systems import Student

from mobilebert_tf.files import write_atomically

STEPS, BATCH_SIZE, RATE, SEEDS = 800, 64, 1.2e-3, (1, 2)
TAGGING = {"batch_size": 32, "learning_rate": 4e-4}
BLOCKS, LENGTH, RUNS, THREADS = 12, 128, 100, (1, 2)


def _shape(bottleneck, feed_forwards, embedding=128):
    return Student(f"{bottleneck}x{feed_forwards}e{embedding}", "mobilebert_mini", {
        "num_blocks": BLOCKS, "bottleneck_size": bottleneck, "num_feed_forwards": feed_forwards,
        "intermediate_size": 4 * bottleneck, "embedding_size": embedding})


SHAPES = {shape.name: shape for shape in (
    _shape(96, 4), _shape(144, 2), _shape(192, 1), _shape(96, 4, embedding=192))}
RIVAL = Student("minilm_6l_384", "minilm_6l_384", {})


def stages():
    """All blocks at once: feature maps, attention and sentence embeddings."""
    from mobilebert_tf.training.stage import Stage

    return (Stage(
        name="all_blocks", steps=STEPS, batch_size=BATCH_SIZE, learning_rate=RATE,
        losses={"feature_map": 4.0, "attention": 0.1, "sentence_embedding": 1.0},
        rates={"embedding": 1.0, **{f"block_{block}": 1.0 for block in range(BLOCKS)}},
        blocks=tuple((block, block) for block in range(BLOCKS)), warmup_steps=STEPS // 20,
        end_rate=0.02, optimizer="adamw", masking_rate=0.0, replacement_rate=0.1,
        teacher_reads_masks=False),)


def train(arguments, shape, seed):
    """Distil and fine-tune one shape; return its line."""
    import mobilebert_tf as mb

    directory = arguments.work / f"{shape.name}-{seed}"
    model = mb.distill(
        str(shape.written(arguments.work)), directory, teacher=arguments.teacher,
        teacher_pooler="mean", student_pooler="mean", corpus=arguments.corpus, stages=stages(),
        plan=mb.DistillationPlan(strategy="joint", batch_size=BATCH_SIZE),
        settings=mb.TrainingSettings(seed=seed, precision="mixed_bfloat16", validation_steps=0,
                                     checkpoint_every=200, keep=1)).model
    similarity = mb.evaluate(model, "similarity", data=arguments.glue / "STS-B",
                             length=64).scores["spearman"]
    tagged = mb.fine_tune(
        "tagging", arguments.work / f"{shape.name}-{seed}-tagging", checkpoint=model,
        train=[arguments.restaurant / "train.bio"], dev=arguments.restaurant / "valid.bio",
        settings=mb.FineTuningSettings(length=64, epochs=1, seed=seed, **TAGGING))
    tokens = sum(line["tokens"] for line in read(directory / "metrics.jsonl")
                 if line["split"] == "train")
    return {"shape": shape.name, "seed": seed, "tokens": tokens, "similarity": similarity,
            "tagging_f1": tagged.scores["f1"]}


def measure(work):
    """Return parameters, bytes and latency of all shapes, and of MiniLM's to compare them with."""
    from mobilebert_tf import counting, presets
    from mobilebert_tf.export.benchmark import host

    students = [*SHAPES.values(), RIVAL]
    configs = [presets.get(str(student.written(work))) for student in students]
    files = [exported(config, work / f"{student.name}.tflite")
             for student, config in zip(students, configs, strict=True)]
    found = [{"shape": student.name, "parameters": counting.parameters(config).total,
              "bytes": file.stat().st_size}
             for student, config, file in zip(students, configs, files, strict=True)]
    for threads in THREADS:
        measured = host.measure([(file, LENGTH) for file in files], threads, RUNS)
        for line, one in zip(found, measured, strict=True):
            line[f"p5_ms_{threads}"] = one.latency.p5_ms
            line[f"median_ms_{threads}"] = one.latency.median_ms
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("corpus", "glue", "restaurant", "work", "output"):
        parser.add_argument(f"--{name}", required=True, type=Path)
    parser.add_argument("--teacher", required=True)
    parser.add_argument("--one", nargs=2, metavar=("SHAPE", "SEED"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    if arguments.one:
        line = train(arguments, SHAPES[arguments.one[0]], int(arguments.one[1]))
        print(line, flush=True)
        with open(arguments.output, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        return
    for seed in SEEDS:
        for name in SHAPES:
            if not any(line["shape"] == name and line["seed"] == seed
                       for line in read(arguments.output)):
                subprocess.run(
                    [sys.executable, __file__, *sys.argv[1:], "--one", name, str(seed)],
                    check=True, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"})
    write_atomically(arguments.work / "latency.json",
                     json.dumps(measure(arguments.work), indent=1).encode() + b"\n")


if __name__ == "__main__":
    main()
