import { readFile } from 'node:fs/promises';
import {
  checkServerIdentity,
  createSecureContext,
  getCACertificates,
  type PeerCertificate,
  type SecureContext,
} from 'node:tls';
import type { Clock, Timer } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { SipTlsOptions } from '../endpoint-options.ts';

/** How often the files are read again. */
const RELOAD_EVERY_MS = 60_000;

type TlsFiles = Pick<SipTlsOptions, 'certificateFile' | 'keyFile' | 'caFile'>;

/** PEM texts. */
export interface TlsMaterial {
  cert: string;
  key: string;
  /** Authorities that sign certificates of peers, beside the public ones; null if none. */
  ca: string | null;
}

interface TlsIdentityDeps {
  clock: Clock;
  log: Logger;
}

/** The local certificate, key and trusted authorities. Files that change are loaded again within a minute. */
export class TlsIdentity implements Disposable {
  /** Called with the new content of the files. */
  onChange: ((material: TlsMaterial) => void) | null = null;
  readonly #files: TlsFiles;
  readonly #deps: TlsIdentityDeps;
  #material: TlsMaterial;
  #context: SecureContext;
  #timer: Timer;
  #isClosed = false;

  private constructor(files: TlsFiles, deps: TlsIdentityDeps, material: TlsMaterial) {
    this.#files = files;
    this.#deps = deps;
    this.#material = material;
    this.#context = contextOf(material);
    this.#timer = this.#reloadLater();
  }

  /** Rejects if a file cannot be read, or the certificate and the key do not belong together. */
  static async load(files: TlsFiles, deps: TlsIdentityDeps): Promise<TlsIdentity> {
    return new TlsIdentity(files, deps, await materialOf(files));
  }

  get material(): TlsMaterial {
    return this.#material;
  }

  /** For outgoing connections. */
  get context(): SecureContext {
    return this.#context;
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#timer.cancel();
  }

  #reloadLater(): Timer {
    return this.#deps.clock.setTimer(RELOAD_EVERY_MS, () => {
      void this.#reload().finally(() => {
        if (!this.#isClosed) this.#timer = this.#reloadLater();
      });
    });
  }

  async #reload(): Promise<void> {
    const { log } = this.#deps;
    try {
      const material = await materialOf(this.#files);
      if (this.#isClosed || isSame(material, this.#material)) return;
      this.#context = contextOf(material);
      this.#material = material;
      this.onChange?.(material);
      log.info('loaded changed SIP TLS certificate');
    } catch (thrown) {
      log.error(
        { err: toError(thrown) },
        'failed to reload SIP TLS certificate; the previous one stays in use',
      );
    }
  }
}

async function materialOf({ certificateFile, keyFile, caFile }: TlsFiles): Promise<TlsMaterial> {
  const [cert, key, ca] = await Promise.all([
    readFile(certificateFile, 'utf8'),
    readFile(keyFile, 'utf8'),
    caFile === null ? null : readFile(caFile, 'utf8'),
  ]);
  return { cert, key, ca };
}

function contextOf({ cert, key, ca }: TlsMaterial): SecureContext {
  return createSecureContext({
    cert,
    key,
    ca: [...getCACertificates('default'), ...(ca === null ? [] : [ca])],
  });
}

function isSame(a: TlsMaterial, b: TlsMaterial): boolean {
  return a.cert === b.cert && a.key === b.key && a.ca === b.ca;
}

const SIP_URI_NAME = /(?:^|, )URI:"?sips?:(?<host>[^@",;]+)"?(?=, |$)/giu;

/**
 * Why a certificate is not that of `host`; undefined if it is. It is if a subject alternative name is `sip:<host>` (RFC
 * 5922, 7.1), or by the rules for host names and addresses.
 */
export function identityError(host: string, certificate: PeerCertificate): Error | undefined {
  const names = (certificate.subjectaltname ?? '').matchAll(SIP_URI_NAME);
  const isNamed = names.some(({ groups }) => groups?.['host']?.toLowerCase() === host.toLowerCase());
  return isNamed ? undefined : checkServerIdentity(host, certificate);
}
