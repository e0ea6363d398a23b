/**
 * Returns the SHA-256 of some bytes in hexadecimal; null where there is none.
 *
 * Pages from other hosts than localhost have it only over https.
 */
export async function sha256(bytes: BufferSource): Promise<string | null> {
  if (globalThis.crypto?.subtle === undefined) return null;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
