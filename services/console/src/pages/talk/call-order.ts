import type { Schemas } from '../../api/client.ts';

/** The agent to talk to: one of the account, or an ad-hoc prompt. */
export type Partner =
  | { readonly kind: 'agent'; readonly agentId: string; readonly context: Record<string, unknown> }
  | { readonly kind: 'prompt'; readonly systemPrompt: string; readonly voice: string | null };

/** What the page shows besides the words: the defaults leave it out. */
const DATA_MESSAGES: Schemas['EnabledDataMessages'] = {
  callEvent: true,
  toolUsed: true,
};

/** Long enough for a slow set-up, short enough that what is given up soon counts no more. */
const JOIN_TIMEOUT = '45s';

const common = { medium: { webRtc: { dataMessages: DATA_MESSAGES } }, joinTimeout: JOIN_TIMEOUT };

export function agentCallRequest(
  context: Record<string, unknown>,
  isText: boolean,
): Schemas['StartAgentCallRequest'] {
  return {
    ...common,
    ...(Object.keys(context).length > 0 && { templateContext: context }),
    ...outputOf(isText),
  };
}

export function promptCallRequest(
  { systemPrompt, voice }: { systemPrompt: string; voice: string | null },
  isText: boolean,
): Schemas['StartCallRequest'] {
  return {
    ...common,
    systemPrompt: systemPrompt.trim(),
    recordingEnabled: true,
    ...(voice !== null && { voice }),
    ...outputOf(isText),
  };
}

/** Without a microphone the agent writes too; its output can be switched to voice later. */
function outputOf(isText: boolean): { initialOutputMedium?: 'MESSAGE_MEDIUM_TEXT' } {
  return isText ? { initialOutputMedium: 'MESSAGE_MEDIUM_TEXT' } : {};
}
