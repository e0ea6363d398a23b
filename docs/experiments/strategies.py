"""Which strategy of knowledge transfer, and which transfer loss? Equal tokens, several seeds.

Every run is a process of its own, trains a student, measures it, and adds a line to the results;
what has a line already is not run again. From the repository's root, here with one core a run and
two runs at a time, one with --seeds 1,3 and one with --seeds 2:

  mobilebert corpus --vocab all-MiniLM-L6-v2/vocab.txt --text 'novels/ENG*.txt' \\
    --text wikipedia/wiki_paragraphs_train.txt --examples sentences --length 32 \\
    --document file --output sentences
  python docs/experiments/strategies.py --teacher all-MiniLM-L6-v2 --corpus sentences \\
    --glue glue --output docs/experiments/strategies.jsonl
"""

import argparse
import dataclasses
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TRANSFER = {"feature_map": 1.0, "attention": 0.05}
DISTILLATION = {"sentence_embedding": 2.0, "masked_lm": 0.02}
# Name -> (strategy, losses of transfer).
VARIANTS = {
    "no transfer": ("auxiliary", {}),
    "auxiliary": ("auxiliary", TRANSFER),
    "joint": ("joint", TRANSFER),
    "progressive": ("progressive", TRANSFER),
    "progressive, feature maps only": ("progressive", {"feature_map": 1.0}),
    "progressive, attention only": ("progressive", {"attention": 1.0}),
}
STUDENT, POOLER = "mobilebert_mini", "mean"
BATCH_SIZE, TRANSFER_STEPS, DISTILLATION_STEPS = 32, 500, 250
# Of SST-2's 67,350 lines the first alone: runs are many, and few labels show more of a start.
LINES = {"sst2": 10_000}
FINE_TUNING = {"sst2": {"learning_rate": 5e-4, "epochs": 1, "batch_size": 32},
               "cola": {"learning_rate": 3e-4, "epochs": 2, "batch_size": 32}}
FOLDERS = {"sst2": "SST-2", "cola": "CoLA"}


def plan_of(variant):
    import mobilebert_tf as mb

    strategy, losses = VARIANTS[variant]
    return mb.DistillationPlan(
        strategy=strategy, transfer_steps=TRANSFER_STEPS, distillation_steps=DISTILLATION_STEPS,
        batch_size=BATCH_SIZE, transfer_losses=losses, distillation_losses=DISTILLATION,
        transfer_rate=1e-3, distillation_rate=1e-3, warmup_fraction=0.05, earlier_rate=0.3,
        embedding_rate=1.0, transfer_end_rate=0.5,
        options={"optimizer": "adamw", "teacher_reads_masks": False, "masking_rate": 0.06})


def run(arguments, variant, seed):
    """Train and measure; return the line of the results."""
    import mobilebert_tf as mb
    from mobilebert_tf.data.corpus.directory import CorpusDirectory
    from mobilebert_tf.training.loading import load

    corpus = CorpusDirectory.load(arguments.corpus)
    directory = Path(tempfile.mkdtemp(prefix="strategies-"))
    started = time.time()
    try:
        model = mb.distill(
            STUDENT, directory, teacher=arguments.teacher, teacher_pooler=POOLER, corpus=corpus,
            plan=plan_of(variant), settings=mb.TrainingSettings(
                seed=seed, validation_steps=0, checkpoint_every=10**9, keep=1)).model
        seconds = time.time() - started
        lines = [json.loads(line) for line in
                 (directory / "metrics.jsonl").read_text().splitlines()]
        return {"variant": variant, "seed": seed, "seconds": round(seconds),
                "tokens": sum(line["tokens"] for line in lines),
                **held_out(load(arguments.teacher, corpus, pooler=POOLER),
                           load(str(model), corpus), corpus),
                "stsb_spearman": similarity(model, Path(arguments.glue)),
                **fine_tuned(model, Path(arguments.glue), directory, seed)}
    finally:
        shutil.rmtree(directory)


def held_out(teacher, student, corpus):
    """Transfer losses over all blocks, and 1 - cosine, on the validation split."""
    from mobilebert_tf.data.corpus.batches import CorpusBatches
    from mobilebert_tf.data.corpus.masking import Masking
    from mobilebert_tf.training.measured import Measured
    from mobilebert_tf.training.stage import Stage
    from mobilebert_tf.training.step import TrainingStep

    blocks = tuple((index, index) for index in range(student.config.num_blocks))
    stage = Stage(name="held_out", steps=1, learning_rate=1.0, batch_size=64, masking_rate=0.0,
                  rates={"embedding": 1.0}, blocks=blocks,
                  losses={"feature_map": 1.0, "attention": 1.0, "sentence_embedding": 1.0})
    step = TrainingStep(stage, student, teacher)
    dataset = CorpusBatches(corpus, "validation", 64, Masking(0.0), 1).dataset(epochs=1)
    function = step.measuring_function(dataset.element_spec)
    found = Measured(stage.active_losses)
    for batch in itertools.islice(dataset, 25):
        found.add(function(batch))
    means = found.means()
    return {f"held_out_{name}": means[name] for name in stage.losses}


def uniform_attention(arguments):
    """The attention loss, as `held_out` measures it, of attention alike to all tokens of a text."""
    from mobilebert_tf.data.corpus.directory import CorpusDirectory
    from mobilebert_tf.training.loading import load

    corpus = CorpusDirectory.load(arguments.corpus)
    student = load(STUDENT, corpus)
    queries = [variable for variable in student.trainable_variables if "query" in variable.name]
    assert len(queries) == 2 * student.config.num_blocks  # Kernel and bias: all logits are 0.
    for variable in queries:
        variable.assign(0.0 * variable)
    teacher = load(arguments.teacher, corpus, pooler=POOLER)
    return held_out(teacher, student, corpus)["held_out_attention"]


def similarity(model, glue):
    import mobilebert_tf as mb

    return mb.evaluate(model, "similarity", data=glue / "STS-B", length=64).scores["spearman"]


def fine_tuned(model, glue, directory, seed):
    from mobilebert_tf.finetuning.run import run as fine_tune
    from mobilebert_tf.finetuning.settings import FineTuningSettings
    from mobilebert_tf.finetuning.start import Start
    from mobilebert_tf.tasks import catalogue

    scores = {}
    for name, settings in FINE_TUNING.items():
        task = catalogue.of(name)
        files = catalogue.data(task, glue / FOLDERS[name])
        train = directory / f"{name}.tsv"
        with open(files.train_files[0], encoding="utf-8") as lines:
            train.write_text("".join(itertools.islice(lines, LINES.get(name))), "utf-8")
        result = fine_tune(dataclasses.replace(files, train_files=(train,)),
                           Start(checkpoint=model, pooler=POOLER),
                           FineTuningSettings(length=64, seed=seed, **settings),
                           directory / name)
        scores[f"{name}_{result.metric}"] = result.score
    return scores


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("teacher", "corpus", "glue"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--output", required=True, type=Path)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--one", nargs=2, metavar=("VARIANT", "SEED"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        line = run(arguments, arguments.one[0], int(arguments.one[1]))
        with open(arguments.output, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        return
    for seed, variant in itertools.product(map(int, arguments.seeds.split(",")), VARIANTS):
        if (variant, seed) not in done(arguments.output):
            print(f"{variant}, seed {seed}", flush=True)
            subprocess.run([sys.executable, __file__, *sys.argv[1:], "--one", variant, str(seed)],
                           check=True, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"})
    print(table(arguments.output))
    print(f"held_out_attention of uniform attention: {uniform_attention(arguments):.4f}")


def done(path):
    return {(line["variant"], line["seed"]) for line in read(path)}


def read(path):
    return ([json.loads(line) for line in path.read_text("utf-8").splitlines()]
            if path.exists() else [])


def table(path):
    """Mean and standard deviation over seeds, in Markdown."""
    lines = read(path)
    measures = [name for name in lines[0] if name not in ("variant", "seed", "tokens")]
    rows = [f"| variant | {' | '.join(measures)} |", "|---" * (len(measures) + 1) + "|"]
    for variant in VARIANTS:
        cells = []
        for name in measures:
            values = [line[name] for line in lines if line["variant"] == variant]
            spread = f" ± {statistics.stdev(values):.4f}" if len(values) > 1 else ""
            cells.append(f"{statistics.fmean(values):.4f}{spread}" if values else "")
        rows.append(f"| {variant} | {' | '.join(cells)} |")
    return "\n".join(rows)


if __name__ == "__main__":
    main()
