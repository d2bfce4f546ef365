import type { StartCallRequest } from '@calls/api-contract/rest/call';
import type { Fault } from '@calls/api-contract/validation/validator';
import type { ChecksOf } from '@calls/untrusted-work/untrusted-checks';
import { chooseVoice, type ChosenVoice, type VoiceParts } from './choose-voice.ts';
import { CallRefusal, invalidCall } from './refusal.ts';
import { resolveTools, type ResolvedTool } from './tools/resolve-tools.ts';
import { urlRefusal, type UrlGuard } from './url-rules.ts';

export interface CheckParts extends VoiceParts {
  models: readonly string[];
  outbound: UrlGuard;
  checksOf: ChecksOf;
}

/** What a stage of a call speaks with, and what it can do. */
export interface References {
  voice: ChosenVoice;
  tools: readonly ResolvedTool[];
}

export interface CheckedReferences {
  faults: readonly Fault[];
  /** Undefined where there are faults, or no voices at all. */
  voice: ChosenVoice | undefined;
  /** Null where there are faults. */
  tools: readonly ResolvedTool[] | null;
}

type Referring = Pick<
  StartCallRequest,
  'model' | 'voice' | 'externalVoice' | 'voiceOverrides' | 'languageHint' | 'selectedTools'
>;

/** Looks up what a request names of the catalogues and of the account: its model, its voice, its tools. `isTemplate`: its texts may have variables. */
export async function checkReferences(
  { models, ...parts }: CheckParts,
  accountId: string,
  request: Referring,
  isTemplate = false,
): Promise<CheckedReferences> {
  const [voice, { tools, faults: toolFaults }] = await Promise.all([
    chooseVoice(parts, accountId, request),
    resolveTools(parts.db, {
      accountId,
      selectedTools: request.selectedTools ?? [],
      path: 'selectedTools',
      urlRule: ({ href }) => urlRefusal(parts.outbound, href),
      checks: parts.checksOf(accountId),
      isTemplate,
    }),
  ]);
  const faults: Fault[] = [];
  if (request.model !== undefined && !models.includes(request.model)) {
    faults.push({ path: 'model', message: `must be one of ${models.join(', ')}` });
  }
  faults.push(...toolFaults);
  const voiceFault = voice && 'path' in voice ? voice : null;
  if (voiceFault) faults.push(voiceFault);
  return { faults, voice: voice && 'path' in voice ? undefined : voice, tools };
}

/** Throws a refusal where there are faults, or where nothing could speak. */
export function withoutFaults({ faults, voice, tools }: CheckedReferences): References {
  if (faults.length > 0 || !tools) throw invalidCall(faults);
  if (voice) return { voice, tools };
  const detail = 'The catalogue of voices is empty; prepare the database first.';
  throw new CallRefusal('impossible', 'no_voice', detail);
}
