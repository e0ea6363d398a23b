"""The .tflite file: conversion, quantization, metadata, and running it."""
