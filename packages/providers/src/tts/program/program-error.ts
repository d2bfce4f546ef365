import { ProviderError } from '@calls/engine-ports/provider-error';
import type { ProcessEnd } from '../../process-host/messages.ts';

/** The error that the end of a Debian program's process shows; undefined for success. */
export function programError(
  provider: string,
  debianPackage: string,
  end: ProcessEnd,
  binary: string,
): ProviderError | undefined {
  switch (end.kind) {
    case 'not_started':
      return new ProviderError(
        provider,
        'unavailable',
        end.code === 'ENOENT'
          ? `${binary} is not installed (on Debian: apt-get install ${debianPackage})`
          : `${binary} cannot be run (${end.code})`,
      );
    case 'host_lost':
      return new ProviderError(provider, 'cut', 'the process that runs it ended');
    case 'exited':
      if (end.code === 0) return undefined;
      return new ProviderError(
        provider,
        'cut',
        `${binary} ended with ${end.signal ?? `code ${String(end.code)}`}`,
      );
  }
}
