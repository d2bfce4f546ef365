/** What the turn loop's timers wait for. At most one of each runs. */
export const TURN_TIMERS = [
  /** Time for which undecided speech only ducks the agent. */
  'duck',
  /** Time without words after an interruption. */
  'resume',
  /** The opening is delayed. */
  'opening',
  /** Time without speech since the agent finished. */
  'inactivity',
  /** Time from the end of the turn to a filler phrase. */
  'reply_overdue',
  /** The first moments of a response, when echo is likely. */
  'echo_guard',
  /** A backchannel may still be the reply to the response. */
  'aside',
  /** The turn is held open because the sentence seems unfinished. */
  'hold',
  /** Deadline for the response. */
  'response_due',
  /** Speech in this window continues the previous turn. */
  'continuation',
  /** Until the next check whether speech that continues has new words. */
  'long_speech',
] as const;
export type TurnTimer = (typeof TURN_TIMERS)[number];
