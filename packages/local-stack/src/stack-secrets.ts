import { readOrCreateSecret } from './data-directory/secrets.ts';
import type { DataDirectory } from './data-directory/data-directory.ts';

const SECRET_FILES = {
  JOIN_TOKEN_SECRET: 'join-token-secret',
  ENCRYPTION_KEY: 'encryption-key',
} as const;

/** The services' secrets: from the environment if set there, otherwise generated once and stored. */
export function stackSecrets(directory: DataDirectory, env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(SECRET_FILES).map(([variable, file]) => {
      const given = env[variable];
      return [variable, given ? given : readOrCreateSecret(directory.secrets, file).value];
    }),
  );
}
