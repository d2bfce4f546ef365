import { createPrivateKey, X509Certificate } from 'node:crypto';
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
import { SipTlsFileError, type SipTlsFiles } from '../endpoint-options.ts';

/** How often the files are read again. */
const RELOAD_EVERY_MS = 60_000;

/** PEM texts. */
export interface TlsMaterial {
  cert: string;
  key: string;
  /** Authorities that sign certificates of peers, in addition to the public ones; null if none. */
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
  readonly #files: SipTlsFiles;
  readonly #deps: TlsIdentityDeps;
  #material: TlsMaterial;
  #context: SecureContext;
  #timer: Timer;
  #isClosed = false;

  private constructor(files: SipTlsFiles, deps: TlsIdentityDeps, material: TlsMaterial) {
    this.#files = files;
    this.#deps = deps;
    this.#material = material;
    this.#context = contextOf(files, material);
    this.#timer = this.#reloadLater();
  }

  /** Rejects with a SipTlsFileError if a file cannot be used, or the key is not that of the certificate. */
  static async load(files: SipTlsFiles, deps: TlsIdentityDeps): Promise<TlsIdentity> {
    return new TlsIdentity(files, deps, await materialOf(files));
  }

  get material(): TlsMaterial {
    return this.#material;
  }

  /** The secure context for outgoing connections. */
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
      this.#context = contextOf(this.#files, material);
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

async function materialOf(files: SipTlsFiles): Promise<TlsMaterial> {
  const read = (file: keyof SipTlsFiles, path: string): Promise<string> =>
    readFile(path, 'utf8').catch((thrown: unknown) => {
      throw new SipTlsFileError(file, `cannot read ${path}`, thrown);
    });
  const [cert, key, ca] = await Promise.all([
    read('certificateFile', files.certificateFile),
    read('keyFile', files.keyFile),
    files.caFile === null ? null : read('caFile', files.caFile),
  ]);
  return { cert, key, ca };
}

/** Checks each file: a secure context ignores empty ones, and its errors do not name a file. */
function contextOf(files: SipTlsFiles, { cert, key, ca }: TlsMaterial): SecureContext {
  const use = (file: keyof SipTlsFiles, defect: string, attempt: () => unknown): void => {
    try {
      attempt();
    } catch (thrown) {
      throw new SipTlsFileError(file, `${files[file]} ${defect}`, thrown);
    }
  };
  use('certificateFile', 'is not a PEM certificate', () => new X509Certificate(cert));
  use('keyFile', 'is not a PEM private key without a passphrase', () => createPrivateKey(key));
  use('keyFile', `is not the key of ${files.certificateFile}`, () => createSecureContext({ cert, key }));
  if (ca !== null) use('caFile', 'is not a PEM certificate', () => new X509Certificate(ca));
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
 * Why a certificate does not belong to `host`; undefined if it does. It does if a subject alternative name is
 * `sip:<host>` (RFC 5922, 7.1), or by the rules for host names and addresses.
 */
export function identityError(host: string, certificate: PeerCertificate): Error | undefined {
  const names = (certificate.subjectaltname ?? '').matchAll(SIP_URI_NAME);
  const isNamed = names.some(({ groups }) => groups?.['host']?.toLowerCase() === host.toLowerCase());
  return isNamed ? undefined : checkServerIdentity(host, certificate);
}
