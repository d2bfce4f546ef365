/** How a caller intends to end its call. */
const INTENTIONS = ['hang_up', 'agent_hang_up', 'time_limit', 'vanish', 'never_join'] as const;
export type Intention = (typeof INTENTIONS)[number];

export interface CallPlan {
  intention: Intention;
  /** How long the caller talks after the join. */
  talkMs: number;
  /** Whether the caller sends and receives audio; otherwise only text. */
  isVoice: boolean;
  /** Whether the account has free minutes, of which each call reserves some and returns the rest. */
  isFree: boolean;
}

const SHARES: Readonly<Record<Intention, number>> = {
  hang_up: 40,
  agent_hang_up: 20,
  time_limit: 15,
  vanish: 10,
  never_join: 15,
};
const VOICE_SHARE = 0.3;
const FREE_SHARE = 0.3;

/** Plans in pseudo-random order with fixed shares of intentions in every hundred. */
export function* callPlans(
  random: () => number,
  [least, most]: readonly [number, number],
): Generator<CallPlan, never> {
  for (;;) {
    const round = INTENTIONS.flatMap((intention) => Array<Intention>(SHARES[intention]).fill(intention));
    while (round.length > 0) {
      const [intention = 'hang_up'] = round.splice(Math.floor(random() * round.length), 1);
      // Whole seconds, because the time may be used as the call's `maxDuration`.
      const talkMs = Math.round((least + random() * (most - least)) / 1000) * 1000;
      yield { intention, talkMs, isVoice: random() < VOICE_SHARE, isFree: random() < FREE_SHARE };
    }
  }
}

export const JOIN_TIMEOUT_MS = 30_000;
export const NEVER_JOINED_TIMEOUT_MS = 4000;

/** The create-call request. */
export function requestFor({ intention, talkMs, isVoice }: CallPlan, callbackUrl: string): object {
  const hook = { url: callbackUrl, secrets: ['a-secret-of-the-receiver'] };
  return {
    systemPrompt: 'You are the receptionist of a small hotel by the sea.',
    voice: 'alloy',
    medium: { serverWebSocket: { inputSampleRate: 8000 } },
    initialOutputMedium: isVoice ? 'MESSAGE_MEDIUM_VOICE' : 'MESSAGE_MEDIUM_TEXT',
    joinTimeout: seconds(intention === 'never_join' ? NEVER_JOINED_TIMEOUT_MS : JOIN_TIMEOUT_MS),
    maxDuration: seconds(intention === 'time_limit' ? talkMs : 600_000),
    callbacks: { joined: hook, ended: hook, billed: hook },
    metadata: { intention },
  };
}

function seconds(durationMs: number): string {
  return `${durationMs / 1000}s`;
}
