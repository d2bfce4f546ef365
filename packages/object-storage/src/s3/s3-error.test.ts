import { describe, expect, it } from '@jest/globals';
import { S3ServiceException } from '@aws-sdk/client-s3';
import { s3ErrorOf } from './s3-error.ts';

function messageOf(name: string, status = 400): string {
  const $metadata = { httpStatusCode: status };
  const thrown = new S3ServiceException({ name, $fault: 'client', $metadata, message: 'of the server' });
  return s3ErrorOf(thrown, 'an object could not be stored').message;
}

describe('s3ErrorOf', () => {
  it.each([
    ['ExpiredToken', 400, 'the temporary credentials have expired'],
    ['ExpiredTokenException', 403, 'the temporary credentials have expired'],
    ['InvalidToken', 400, 'the session token is invalid'],
    ['InvalidTokenId', 403, 'the session token is invalid or has expired'],
    ['RequestExpired', 400, 'synchronize the clocks or, if temporary credentials have expired'],
    ['Unknown', 400, 'check the region in OBJECT_STORAGE_URL; if temporary credentials have expired'],
  ])('names the settings to renew and asks for a restart after %s (%i)', (name, status, problem) => {
    const message = messageOf(name, status);
    expect(message).toMatch(`an object could not be stored: ${name} (${status}); ${problem}`);
    expect(message).toMatch(
      'renew AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN (or the AWS profile) and restart the process',
    );
  });

  it('names the file to renew when AWS STS rejects the token of a service account', () => {
    const thrown = Object.assign(new Error('Token expired'), { name: 'ExpiredTokenException' });
    expect(s3ErrorOf(thrown, 'an object could not be stored').message).toBe(
      'an object could not be stored: Token expired; renew the token in AWS_WEB_IDENTITY_TOKEN_FILE, which is read again for each attempt',
    );
  });

  it('names the setting of path-style URLs if the host name is unknown', () => {
    const thrown = Object.assign(new Error('getaddrinfo ENOTFOUND calls.minio'), { code: 'ENOTFOUND' });
    const { message } = s3ErrorOf(thrown, 'the bucket calls cannot be used');
    expect(message).toContain('ENOTFOUND calls.minio; check the endpoint in OBJECT_STORAGE_URL');
    expect(message).toContain('forcePathStyle=true');
  });

  it('does not ask for a restart after other errors', () => {
    expect(messageOf('SignatureDoesNotMatch', 403)).not.toContain('restart');
    expect(messageOf('InvalidAccessKeyId', 403)).not.toContain('restart');
    expect(messageOf('AccessDenied', 403)).toContain('check the credentials and their permissions');
  });
});
