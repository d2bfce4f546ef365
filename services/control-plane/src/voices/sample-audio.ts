export interface AudioType {
  mimeType: string;
  extension: string;
}

/** Recognizes the file format of audio by its first bytes; null if it is none of those that voices are cloned from. */
export function audioTypeOf(bytes: Buffer): AudioType | null {
  const text = (start: number, end: number): string => bytes.toString('latin1', start, end);
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WAVE') return { mimeType: 'audio/wav', extension: 'wav' };
  if (text(0, 4) === 'fLaC') return { mimeType: 'audio/flac', extension: 'flac' };
  if (text(0, 4) === 'OggS') return { mimeType: 'audio/ogg', extension: 'ogg' };
  if (text(4, 8) === 'ftyp') return { mimeType: 'audio/mp4', extension: 'm4a' };
  // EBML, the container of WebM.
  if (text(0, 4) === '\u001a\u0045\u00df\u00a3') return { mimeType: 'audio/webm', extension: 'webm' };
  if (text(0, 3) === 'ID3' || isMp3Frame(bytes)) return { mimeType: 'audio/mpeg', extension: 'mp3' };
  return null;
}

/** Eleven bits of synchronization, a known version, and layer III. */
function isMp3Frame([first, second = 0]: Buffer): boolean {
  return first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x18) !== 0x08 && (second & 0x06) === 0x02;
}
