/** A byte order mark has precedence over `charset`, and that over UTF-8. Invalid UTF-8 is decoded as windows-1252. */
export function decodeText(bytes: Uint8Array, charset: string | null): string {
  const said = byteOrderMark(bytes) ?? charset;
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

function decoderOf(charset: string): { decode(bytes: Uint8Array): string } | null {
  try {
    return new TextDecoder(charset);
  } catch {
    return null;
  }
}
