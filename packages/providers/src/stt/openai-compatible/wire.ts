import { buildWavHeader } from '@calls/audio/wav-header';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import { multipartForm, type MultipartForm } from '../../http/multipart-form.ts';
import { termsWithin } from '../key-terms.ts';

/** Whisper reads the last 224 tokens of a prompt, so a longer one would lose its first terms. A token has some 4 bytes. */
const MAX_PROMPT_BYTES = 600;

/** The response for `response_format: json`; other fields are ignored. */
export const transcriptionResponse = compileValidator('transcription', Type.Object({ text: Type.String() }));

/** A multipart form with the audio as a WAV file. `pcm` (signed 16-bit little-endian, mono) is not copied. */
export function transcriptionForm(options: {
  pcm: Uint8Array;
  sampleRateHz: number;
  model: string;
  language: string | null;
  keyTerms: readonly string[];
}): MultipartForm {
  const fields: [string, string][] = [
    ['model', options.model],
    ['response_format', 'json'],
    ['temperature', '0'],
  ];
  if (options.language !== null) fields.push(['language', options.language]);
  const expected = termsWithin(MAX_PROMPT_BYTES, options.keyTerms);
  if (expected.length > 0) fields.push(['prompt', expected.join(', ')]);
  const wavHeader = buildWavHeader({ sampleRateHz: options.sampleRateHz, dataBytes: options.pcm.length });
  return multipartForm(fields, {
    field: 'file',
    fileName: 'speech.wav',
    mimeType: 'audio/wav',
    bytes: [wavHeader, options.pcm],
  });
}
