/** Set-up cannot continue. The message states what to do; it is printed without a stack trace. */
export class SetupError extends Error {}
