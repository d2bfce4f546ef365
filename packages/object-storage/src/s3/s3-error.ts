import { S3ServiceException } from '@aws-sdk/client-s3';
import { toError } from '@calls/foundation/errors';
import { StorageError } from '../storage-error.ts';

const MISSING = new Set(['NoSuchKey', 'NotFound']);
const FULL = new Set(['XMinioStorageFull', 'QuotaExceeded', 'InsufficientStorage']);
/** The AWS SDK reads variables and files with credentials once; it renews those of roles automatically. */
const RENEW =
  'renew AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN (or the AWS profile) and restart the process, ' +
  'which reads them only once';
/** What operators can do about frequent errors, by their S3 code or HTTP status. */
const ADVICE: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'check OBJECT_STORAGE_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'check OBJECT_STORAGE_SECRET_ACCESS_KEY',
  ExpiredToken: `the temporary credentials have expired; ${RENEW}`,
  ExpiredTokenException: `the temporary credentials have expired; ${RENEW}`,
  InvalidToken: `the session token is invalid; ${RENEW}`,
  // Code of MinIO.
  InvalidTokenId: `the session token is invalid or has expired; ${RENEW}`,
  RequestExpired: `synchronize the clocks or, if temporary credentials have expired, ${RENEW}`,
  RequestTimeTooSkewed: 'synchronize the clocks',
  NoSuchBucket: 'check the bucket in OBJECT_STORAGE_URL',
  '301': 'check the region in OBJECT_STORAGE_URL',
  // Responses to HEAD have no code.
  'Unknown (400)': `check the region in OBJECT_STORAGE_URL; if temporary credentials have expired, ${RENEW}`,
  '403': 'check the credentials and their permissions on the bucket',
};
/** Advice about errors without a status of the bucket, by their name or code. */
const SDK_ADVICE: Readonly<Record<string, string>> = {
  ENOTFOUND:
    'check the endpoint in OBJECT_STORAGE_URL; without forcePathStyle=true, its host name begins with the bucket',
  CredentialsProviderError: 'set OBJECT_STORAGE_ACCESS_KEY_ID and OBJECT_STORAGE_SECRET_ACCESS_KEY',
  ExpiredTokenException:
    'renew the token in AWS_WEB_IDENTITY_TOKEN_FILE, which is read again for each attempt',
};

export function isMissing(thrown: unknown): boolean {
  return thrown instanceof S3ServiceException && MISSING.has(thrown.name);
}

/** Converts an error of the AWS SDK to a StorageError that says what to check. */
export function s3ErrorOf(thrown: unknown, what: string): StorageError {
  if (thrown instanceof StorageError) return thrown;
  const error = toError(thrown);
  const { name, message } = error;
  if (FULL.has(name))
    return new StorageError('storage_full', `${what}: the storage is full`, { cause: thrown });
  const status = thrown instanceof S3ServiceException ? String(thrown.$metadata.httpStatusCode ?? '') : '';
  const reason = status === '' ? message : `${name} (${status})`;
  const code = 'code' in error && status === '' ? String(error.code) : '';
  const advice =
    ADVICE[reason] ?? (status === '' ? SDK_ADVICE : ADVICE)[name] ?? SDK_ADVICE[code] ?? ADVICE[status];
  const text = `${what}: ${reason}${advice === undefined ? '' : `; ${advice}`}`;
  return new StorageError('storage_failed', text, { cause: thrown });
}
