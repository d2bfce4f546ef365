import { telephonyVendors } from '@calls/api-client/vendors';
import type { Schemas } from '../../api/client.ts';
import type { Tone } from '../../components/status-badge.tsx';
import { apiDurationMs } from '../../components/time-format.ts';

type Call = Schemas['CallSummary'];
export type EndReason = NonNullable<Call['endReason']>;

const MAX_TITLE_CHARS = 60;

export const END_REASONS: Readonly<Record<EndReason, { words: string; tone: Tone }>> = {
  hangup: { words: 'User hung up', tone: 'good' },
  agent_hangup: { words: 'Agent hung up', tone: 'good' },
  timeout: { words: 'Time limit', tone: 'warning' },
  unjoined: { words: 'Not joined', tone: 'neutral' },
  connection_error: { words: 'Connection error', tone: 'bad' },
  system_error: { words: 'System error', tone: 'bad' },
};

const BILLING: Readonly<Record<Call['billingStatus'], string>> = {
  BILLING_STATUS_PENDING: 'Not yet billed',
  BILLING_STATUS_FREE_CONSOLE: 'Free: from the console',
  BILLING_STATUS_FREE_ZERO_EFFECTIVE_DURATION: 'Free: zero duration',
  BILLING_STATUS_FREE_MINUTES: 'Free minutes',
  BILLING_STATUS_FREE_SYSTEM_ERROR: 'Free: system error',
  BILLING_STATUS_FREE_OTHER: 'Free',
  BILLING_STATUS_BILLED: 'Billed',
  BILLING_STATUS_REFUNDED: 'Refunded',
  BILLING_STATUS_UNSPECIFIED: 'Unknown',
};

const MEDIUMS: Readonly<Record<string, string>> = {
  webRtc: 'WebRTC',
  serverWebSocket: 'WebSocket',
};

export function billingText({ billingStatus }: Call): string {
  return BILLING[billingStatus];
}

export function mediumText({ medium }: Call): string {
  const [[name, given] = ['webRtc', {}]] = Object.entries(medium);
  const vendor = telephonyVendors.find(({ key }) => key === name);
  const way = 'outgoing' in given ? 'outgoing' : 'incoming';
  if (name === 'sip') return `SIP, ${way}`;
  return vendor ? `${vendor.name}, ${way}` : (MEDIUMS[name] ?? name);
}

/** The agent's name, or the start of the prompt. */
export function callTitle({ agent, systemPrompt }: Call): string {
  if (agent) return agent.name || 'Unnamed agent';
  const line = (systemPrompt ?? '').trim().split('\n', 1)[0] ?? '';
  if (line === '') return 'Call without a prompt';
  return line.length > MAX_TITLE_CHARS ? `${line.slice(0, MAX_TITLE_CHARS).trimEnd()}…` : line;
}

/** Waiting for its client, joined and live, or ended. */
export type CallState = 'waiting' | 'live' | 'ended';

export function stateOf({ joined, ended }: Call): CallState {
  if (ended !== null) return 'ended';
  return joined === null ? 'waiting' : 'live';
}

/** Time from the join to the end; null for calls that were not joined or are live. */
export function callDurationMs({ joined, ended }: Pick<Call, 'joined' | 'ended'>): number | null {
  return joined === null || ended === null ? null : Math.max(0, Date.parse(ended) - Date.parse(joined));
}

/** Parses a duration of the API; null if absent. */
export function durationMsOrNull(duration: string | null | undefined): number | null {
  const ms = apiDurationMs(duration ?? '');
  return Number.isNaN(ms) ? null : ms;
}
