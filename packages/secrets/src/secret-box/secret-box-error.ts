import { AppError } from '@calls/foundation/errors';

/**
 * `weak_secret`, `not_sealed`, `unknown_key` (not among those listed) or `not_openable`. Its message holds no part of a
 * secret, a sealed text or a key.
 */
export class SecretBoxError extends AppError {}
