import type { Vocabulary } from "./vocabulary.js";

/** The token ids of one run, with special ones and without padding. */
export interface ModelInput {
  readonly ids: readonly number[];
  /** The number of ids in the first segment, `[CLS] a [SEP]`. */
  readonly firstLength: number;
}

/** The input tensors of a run by name, each as long as the signature. */
export interface InputTensors {
  readonly ids: Int32Array;
  readonly mask: Int32Array;
  readonly segment_ids: Int32Array;
}

/**
 * Makes `[CLS] a [SEP]`, or `[CLS] a [SEP] b [SEP]`, cut to `length` tokens, which are 3 or more.
 *
 * Source: `mobilebert_tf.text.packing.join`. A single text loses its end. Of two texts, the longer
 * one loses its last token until both fit; of equally long ones, the second.
 */
export function join(
  vocabulary: Vocabulary,
  a: readonly number[],
  b: readonly number[] | null,
  length: number,
): ModelInput {
  const { clsId, sepId } = vocabulary;
  if (b === null) {
    const ids = [clsId, ...a.slice(0, length - 2), sepId];
    return { ids, firstLength: ids.length };
  }
  const room = length - 3;
  // Each text may fill half of the room, and what the other leaves; an odd place is a's.
  const half = Math.floor(room / 2);
  const sizeA = Math.min(a.length, Math.max(room - half, room - b.length));
  const sizeB = Math.min(b.length, room - sizeA);
  const first = [clsId, ...a.slice(0, sizeA), sepId];
  return { ids: [...first, ...b.slice(0, sizeB), sepId], firstLength: first.length };
}

/** Pads an input to the tensors of a signature of `length` tokens. */
export function toTensors(input: ModelInput, length: number, padId: number): InputTensors {
  const ids = new Int32Array(length).fill(padId);
  ids.set(input.ids);
  return {
    ids,
    mask: new Int32Array(length).fill(1, 0, input.ids.length),
    segment_ids: new Int32Array(length).fill(1, input.firstLength, input.ids.length),
  };
}
