import { randomUUID } from 'node:crypto';
import { buildWavHeader } from '@calls/audio/wav-header';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import { termsWithin } from '../key-terms.ts';

/** Whisper reads the last 224 tokens of a prompt, so a longer one would lose its first terms. A token has some 4 bytes. */
const MAX_PROMPT_BYTES = 600;

/** The response for `response_format: json`; other fields are ignored. */
export const transcriptionAnswer = compileValidator('transcription', Type.Object({ text: Type.String() }));

export interface TranscriptionForm {
  contentType: string;
  body: readonly Uint8Array[];
}

/** A multipart form with the audio as a WAV file. `pcm` (signed 16-bit little-endian, mono) is not copied. */
export function transcriptionForm(options: {
  pcm: Uint8Array;
  sampleRateHz: number;
  model: string;
  language: string | null;
  keyTerms: readonly string[];
}): TranscriptionForm {
  const boundary = `calls-${randomUUID()}`;
  const fields: [string, string][] = [
    ['model', options.model],
    ['response_format', 'json'],
    ['temperature', '0'],
  ];
  if (options.language !== null) fields.push(['language', options.language]);
  const expected = termsWithin(MAX_PROMPT_BYTES, options.keyTerms);
  if (expected.length > 0) fields.push(['prompt', expected.join(', ')]);
  const head =
    fields
      .map(
        ([name, value]) =>
          `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      )
      .join('') +
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="speech.wav"\r\ncontent-type: audio/wav\r\n\r\n`;
  const wavHeader = buildWavHeader({ sampleRateHz: options.sampleRateHz, dataBytes: options.pcm.length });
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: [Buffer.from(head), wavHeader, options.pcm, Buffer.from(`\r\n--${boundary}--\r\n`)],
  };
}
