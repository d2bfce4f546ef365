/** What the turn loop's timers wait for. At most one of each runs. */
export type TurnTimer =
  /** The opening is delayed. */
  | 'opening'
  /** Time without speech since the agent finished. */
  | 'inactivity'
  /** Time for which undecided speech only ducks the agent. */
  | 'duck'
  /** Time without words after an interruption. */
  | 'resume'
  /** The first moments of a response, when echo is likely. */
  | 'echo_guard'
  /** A backchannel may still be the reply to the response. */
  | 'aside'
  /** The turn is held open because the sentence seems unfinished. */
  | 'hold'
  /** Time from the end of the turn to a filler phrase. */
  | 'reply_overdue'
  /** Deadline for the response. */
  | 'response_due'
  /** Speech in this window continues the previous turn. */
  | 'continuation'
  /** Until the next check whether speech that continues has new words. */
  | 'long_speech';
