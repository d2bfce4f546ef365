/** Set-up can't go on. The message says what to do; it is shown without a stack. */
export class SetupError extends Error {}
