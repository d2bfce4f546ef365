import { VoiceSample } from '@calls/api-contract/rest/voice';
import { compileValidator } from '@calls/api-contract/validation/validator';
import type { Request } from 'express';
import { Type } from 'typebox';
import { readUpload } from '../uploads/multipart.ts';
import { HttpProblem, invalidRequest } from '../problems/problem.ts';
import { languageTagFaults } from './language-tag.ts';

const FIELDS = ['name', 'description', 'language'] as const;
const form = compileValidator('request body', Type.Omit(VoiceSample, ['file']));

/** Why a voice cannot be created from a sample: the form is not valid, or no configured engine supports cloning. */
export async function refuseSample(request: Request): Promise<HttpProblem> {
  const { file, fields } = await readUpload(request, FIELDS);
  const faults = [...form.issues(fields), ...languageTagFaults('language', fields['language'])];
  if (file.bytes.byteLength === 0) faults.push({ path: 'file', message: 'must not be empty' });
  if (faults.length > 0) return invalidRequest('request body', faults);
  return new HttpProblem(
    422,
    'not_supported',
    'No configured TTS engine can create a voice from a sample. Clone the voice at a provider and add it by its definition.',
  );
}
