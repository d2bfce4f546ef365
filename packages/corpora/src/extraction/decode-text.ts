/**
 * A byte order mark has precedence over `charset`, and that over UTF-16, which is recognized by its zero bytes, and UTF-8.
 * Invalid UTF-8 is decoded as windows-1252.
 */
export function decodeText(bytes: Uint8Array, charset: string | null): string {
  const said = byteOrderMark(bytes) ?? charset ?? utf16WithoutMark(bytes);
  if (said !== null) {
    const decoder = decoderOf(said);
    if (decoder) return decoder.decode(bytes);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function byteOrderMark([a, b, c]: Uint8Array): string | null {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  return a === 0xfe && b === 0xff ? 'utf-16be' : null;
}

const SAMPLE_BYTES = 4096;
const MIN_ZEROS = 0.02;

/** In UTF-16, one byte of each space, line break and ASCII letter is zero. */
function utf16WithoutMark(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = (parity: number): number =>
    sample.reduce((count, byte, i) => (byte === 0 && i % 2 === parity ? count + 1 : count), 0);
  const [first, second] = [zeros(0), zeros(1)];
  if (Math.max(first, second) < sample.length * MIN_ZEROS) return null;
  if (first * 10 <= second) return 'utf-16le';
  return second * 10 <= first ? 'utf-16be' : null;
}

function decoderOf(charset: string): { decode(bytes: Uint8Array): string } | null {
  try {
    return new TextDecoder(charset);
  } catch {
    return null;
  }
}
