import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const openssl = (args: readonly string[]): Promise<unknown> => promisify(execFile)('openssl', args);

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** PEM files. */
export interface Certificate {
  certificateFile: string;
  keyFile: string;
}

/** A certificate authority for tests, made with openssl. Disposal deletes its files. */
export class CertificateAuthority implements AsyncDisposable {
  readonly folder: string;
  readonly caFile: string;
  readonly #keyFile: string;
  #issued = 0;

  private constructor(folder: string) {
    this.folder = folder;
    this.caFile = join(folder, 'ca.pem');
    this.#keyFile = join(folder, 'ca.key');
  }

  static async create(): Promise<CertificateAuthority> {
    const authority = new CertificateAuthority(await mkdtemp(join(tmpdir(), 'calls-certificates-')));
    const files = ['-keyout', authority.#keyFile, '-out', authority.caFile];
    await openssl(['req', '-x509', ...NEW_KEY, ...files, '-subj', '/CN=Test Authority', '-days', '2']);
    return authority;
  }

  /** `names`: subject alternative names, as in `DNS:a.test,IP:127.0.0.1`. `days` below 0: it has expired. */
  async issue(names: string, days = 2): Promise<Certificate> {
    this.#issued += 1;
    const [certificateFile, keyFile, requestFile] = ['pem', 'key', 'csr'].map((ending) =>
      join(this.folder, `${this.#issued}.${ending}`),
    ) as [string, string, string];
    const extensions = ['-addext', `subjectAltName=${names}`];
    const files = ['-keyout', keyFile, '-out', requestFile];
    await openssl(['req', ...NEW_KEY, ...files, '-subj', '/CN=Test Certificate', ...extensions]);
    const signer = ['-CA', this.caFile, '-CAkey', this.#keyFile, '-copy_extensions', 'copyall'];
    const output = ['-out', certificateFile, '-days', String(days)];
    await openssl(['x509', '-req', '-in', requestFile, ...signer, ...output]);
    return { certificateFile, keyFile };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
