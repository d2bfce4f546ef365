/** How Whisper models describe sounds: "[BLANK_AUDIO]", "(coughs)", "*music*". */
const DESCRIPTIONS = /\[[\p{L}\s_-]*\]|\([\p{L}\s_-]*\)|\*[\p{L}\s_-]*\*/gu;
const WORD = /[\p{L}\p{N}]/u;

/** The transcript; empty if it has only punctuation and descriptions of sounds. */
export function recognizedWords(transcript: string): string {
  return WORD.test(transcript.replaceAll(DESCRIPTIONS, '')) ? transcript.trim() : '';
}
