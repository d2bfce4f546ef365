/** Settings of the stage and the service. */
export interface TurnSettings {
  languageHint: string | null;
  /** The model accepts audio, so a generation can start before the transcript is known. */
  hearsAudio: boolean;
  /** Start generations before the turn has ended. */
  speculation: boolean;
}

/** The user is an automated phone menu: the agent is patient, does not talk over it and says no stock phrases. */
export interface PhoneMenu {
  /** Silence after which the agent gets a turn. */
  silenceLimitMs: number;
}
