"""Packaging. `export/` lies at the top of the repository and installs as `mobilebert_tf.export`."""

import re
from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).parent
VERSION = re.search(r'__version__ = "(.+)"', (ROOT / "mobilebert_tf/__init__.py").read_text())[1]
# tensorflow-datasets imports importlib_resources and does not say so.
DATA = ["tensorflow-datasets>=4.9,<5", "importlib_resources>=6"]
BATCH = ["apache-beam>=2.77,<2.78", "pyarrow>=14.0.1,<26"]
FAISS = ["faiss-cpu>=1.15,<2"]
CORPUS = ["apache-beam>=2.77,<2.78", "sentencex>=1.0.32,<1.1", "google-crc32c>=1.8,<2"]

setup(
    name="mobilebert-tf",
    version=VERSION,
    description="MobileBERT for TensorFlow and Keras, from teacher to int8 .tflite",
    long_description=(ROOT / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    license_files=["LICENSE"],
    python_requires=">=3.10,<3.13",
    package_dir={"mobilebert_tf": "mobilebert_tf", "mobilebert_tf.export": "export"},
    packages=find_packages(include=["mobilebert_tf", "mobilebert_tf.*"])
    + ["mobilebert_tf.export"]
    + [f"mobilebert_tf.export.{name}" for name in find_packages("export")],
    # For type checkers (PEP 561); the marker holds for sub-packages too.
    package_data={"mobilebert_tf": ["py.typed"]},
    install_requires=[
        "tensorflow>=2.21,<2.22",
        "tf-keras>=2.21,<2.22",
        "tensorflow-text>=2.21,<2.22",
        "tensorboard>=2.20,<2.22",
        "ai-edge-litert>=2.3,<2.4",
        "ai-edge-quantizer>=0.10,<0.11",
        "tokenizers>=0.23,<0.24",
        "safetensors>=0.8,<0.9",
        "h5py>=3.10,<4",
        "typer>=0.29,<0.30",
        "rich>=15,<16",
        "flatbuffers>=25.12",
        "msgspec>=0.20,<0.23",
        "numpy>=2.2,<3",
        "scipy>=1.15,<2",
        "scikit-learn>=1.7,<2",
        "seqeval>=1.2.2,<1.3",
        "matplotlib>=3.10,<4",
    ],
    extras_require={
        "data": DATA,
        # `mobilebert corpus` and `mobilebert vocab`: the job, the ends of sentences, checksums.
        "corpus": CORPUS,
        # `mobilebert embed` and `mobilebert predict --texts`: the job, and Parquet.
        "batch": BATCH,
        # `mobilebert search --approximate`: an index of vectors.
        "faiss": FAISS,
        # `make beam-engines`: Beam's runner for Dask and its client for S3, and an S3 server.
        "engines": ["apache-beam[aws,dask]>=2.77,<2.78", "moto[server]>=5.2,<6"],
        "docs": ["mkdocs-material>=9.8,<10", "mkdocstrings[python]>=1.0,<2"],
        "hub": ["huggingface_hub>=2.4,<3"],
        # Other exporters of MobileBERT, which `mobilebert benchmark --peers` measures.
        "peers": ["transformers>=5.23,<5.24", "torch>=2.14,<3", "litert-torch>=0.10,<0.11",
                  "ai-edge-quantizer>=0.10,<0.11", "onnx>=1.23,<2", "onnxruntime>=1.31,<1.32"],
        "test": ["pytest>=9.2,<10", "pytest-xdist>=3.8,<4", "ruff>=0.17.5,<0.18", "build>=1.3",
                 "mediapipe>=1.2.2,<1.3", "onnxruntime>=1.31,<1.32",
                 *CORPUS, *BATCH, *FAISS, *DATA],
    },
    entry_points={"console_scripts": ["mobilebert = mobilebert_tf.cli.main:main"]},
)
