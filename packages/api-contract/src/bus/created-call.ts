import { Type, type Static } from 'typebox';
import { CallSpec } from '../call-spec.ts';
import { Closed } from '../rest/common.ts';
import { compileValidator } from '../validation/validator.ts';

/** The order in which media workers take created calls. */
export const ADMISSION_CLASSES = ['priority', 'standard', 'lowest_cost'] as const;
export type AdmissionClass = (typeof ADMISSION_CLASSES)[number];

/** On `calls.created.<admission class>`, a work queue: exactly one media worker takes each. */
export const CreatedCall = Closed({ admissionClass: Type.Enum([...ADMISSION_CLASSES]), spec: CallSpec });
export type CreatedCall = Static<typeof CreatedCall>;

export const createdCallValidator = compileValidator('created call', CreatedCall);

export function createdCallSubject(admissionClass: AdmissionClass): string {
  return `calls.created.${admissionClass}`;
}

/** Where a created call has secrets; `*` stands for any key. They are sealed wherever the message is kept. */
export const CREATED_CALL_SECRETS: readonly string[] = [
  'spec.firstStage.voice.settings.apiKey',
  'spec.firstStage.voice.settings.headers.*',
  'spec.firstStage.tools.*.auth.headers.*',
  'spec.firstStage.tools.*.auth.queryParams.*',
  'spec.sharedSecrets.*',
  'spec.dataConnection.headers.*',
];
