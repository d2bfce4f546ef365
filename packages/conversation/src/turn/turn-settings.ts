/** Settings of the stage and the service. */
export interface TurnSettings {
  languageHint: string | null;
  /** The model accepts audio, so a generation can start before the transcript is known. */
  acceptsAudio: boolean;
  /** Start generations before the turn has ended. */
  speculation: boolean;
  /** How long speech that may be an interruption only ducks the agent; 0: it pauses the agent at once. */
  duckMs: number;
}

/** Speech of this duration pauses the agent if it is still undecided whether it is an interruption. */
const PAUSING_SPEECH_MS = 700;
/** A shorter time is not worth two changes of the volume. */
const MIN_DUCK_MS = 100;

/** Speech of `minimumInterruptionDurationMs` ducks the agent; if that is long enough, it pauses the agent at once. */
export function duckMsOf(minimumInterruptionDurationMs: number): number {
  const duckMs = PAUSING_SPEECH_MS - minimumInterruptionDurationMs;
  return duckMs < MIN_DUCK_MS ? 0 : duckMs;
}

/** The user is an automated phone menu: the agent is patient, does not talk over it and says no stock phrases. */
export interface PhoneMenu {
  /** Silence after which the agent gets a turn. */
  silenceLimitMs: number;
}
