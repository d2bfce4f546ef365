import { VoiceSample } from '@calls/api-contract/rest/voice';
import { compileValidator } from '@calls/api-contract/validation/validator';
import type { Request } from 'express';
import { Type } from 'typebox';
import { readUpload } from '../uploads/multipart.ts';
import { HttpProblem, invalidRequest } from '../problems/problem.ts';
import { languageTagFaults } from './language-tag.ts';

const FIELDS = ['name', 'description', 'language'] as const;
const form = compileValidator('request body', Type.Omit(VoiceSample, ['file']));

/** Why a voice can't be made from a sample: what is wrong with the form or, where nothing is, that no engine here clones. */
export async function refuseSample(request: Request): Promise<HttpProblem> {
  const { file, fields } = await readUpload(request, FIELDS);
  const faults = [...form.issues(fields), ...languageTagFaults('language', fields['language'])];
  if (file.bytes.byteLength === 0) faults.push({ path: 'file', message: 'must not be empty' });
  if (faults.length > 0) return invalidRequest('request body', faults);
  return new HttpProblem(
    422,
    'not_supported',
    'None of the speech engines of this server makes a voice from a sample; clone it at a provider and add it by its definition.',
  );
}
