import type { Schemas } from '../../api/client.ts';
import type { Template } from '../agents/template.ts';

/** The agent to talk to: an agent of the account, settings that no agent has yet, or an ad-hoc prompt. */
export type Partner = { readonly isRecorded: boolean } & (
  | {
      readonly kind: 'agent';
      readonly agentId: string;
      readonly context: Record<string, unknown>;
      /** Replaces the stored template; null uses the stored one. */
      readonly template: Template | null;
    }
  | { readonly kind: 'template'; readonly template: Template }
  | { readonly kind: 'prompt'; readonly systemPrompt: string; readonly voice: string | null }
);
type PartnerOf<Kind> = Extract<Partner, { kind: Kind }>;

/** Choices of the page Talk. */
export type PartnerKind = Exclude<Partner['kind'], 'template'>;

/** Data messages that the page shows in addition to the defaults. */
const DATA_MESSAGES: Schemas['EnabledDataMessages'] = {
  callEvent: true,
  interimTranscript: true,
  userStartedSpeaking: true,
  userStoppedSpeaking: true,
  toolUsed: true,
};

/** Long enough for a slow start; an abandoned call stops counting soon after. */
const JOIN_TIMEOUT = '45s';

const common = { medium: { webRtc: { dataMessages: DATA_MESSAGES } }, joinTimeout: JOIN_TIMEOUT };

export function agentCallRequest(
  { context, isRecorded, template }: PartnerOf<'agent'>,
  isText: boolean,
): Schemas['StartAgentCallRequest'] {
  return {
    ...common,
    recordingEnabled: isRecorded,
    ...(template && { callTemplate: template }),
    ...(Object.keys(context).length > 0 && { templateContext: context }),
    ...outputOf(isText),
  };
}

/** Returns the request for a call with settings that no agent has. Variables are not filled in. */
export function templateCallRequest(
  { template, isRecorded }: PartnerOf<'template'>,
  isText: boolean,
): Schemas['StartCallRequest'] {
  const { contextSchema: _, name: __, ...settings } = template;
  return { ...settings, ...common, recordingEnabled: isRecorded, ...outputOf(isText) };
}

export function promptCallRequest(
  { systemPrompt, voice, isRecorded }: PartnerOf<'prompt'>,
  isText: boolean,
): Schemas['StartCallRequest'] {
  return {
    ...common,
    systemPrompt: systemPrompt.trim(),
    recordingEnabled: isRecorded,
    ...(voice !== null && { voice }),
    ...outputOf(isText),
  };
}

/** Without a microphone the agent responds in text; its output can be switched to voice later. */
function outputOf(isText: boolean): { initialOutputMedium?: 'MESSAGE_MEDIUM_TEXT' } {
  return isText ? { initialOutputMedium: 'MESSAGE_MEDIUM_TEXT' } : {};
}
