import { VoiceSample } from '@calls/api-contract/rest/voice';
import { urlRefusal, type UrlGuard } from '@calls/call-lifecycle/creation/url-rules';
import { compileValidator, type Issue } from '@calls/foundation/schema/validator';
import type { Request } from 'express';
import { Type } from 'typebox';
import { HttpProblem, invalidRequest } from '../problems/problem.ts';
import { readUpload } from '../uploads/multipart.ts';

/** Issues of a voice that its schema does not cover. Provider settings are validated only by the provider. */
export function voiceFaults(body: unknown, guard: UrlGuard): Issue[] {
  const { primaryLanguage, definition } = fieldsOf(body);
  return [
    ...languageTagFaults('primaryLanguage', primaryLanguage),
    ...urlFaults(fieldsOf(fieldsOf(definition)['generic'])['url'], guard),
  ];
}

function urlFaults(url: unknown, guard: UrlGuard): Issue[] {
  const message = typeof url === 'string' && URL.canParse(url) ? urlRefusal(guard, url) : null;
  return message === null ? [] : [{ path: 'definition.generic.url', message }];
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Issues of a BCP 47 language tag. Values that are not text are left to the schema. */
export function languageTagFaults(path: string, tag: unknown): Issue[] {
  if (typeof tag !== 'string') return [];
  try {
    Intl.getCanonicalLocales(tag);
    return [];
  } catch {
    return [{ path, message: 'must be a BCP 47 language tag, such as "en-GB"' }];
  }
}

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
