import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Clock } from '@calls/foundation/clock';

const READ_AGAIN_AFTER_MS = 5000;

/** The names of /etc/hosts, which are not in the DNS. The file is read again after changes. */
export class HostsFile {
  readonly #path: string;
  readonly #clock: Pick<Clock, 'nowMs'>;
  #names: Promise<ReadonlyMap<string, readonly string[]>> | null = null;
  #readAtMs = 0;

  constructor(clock: Pick<Clock, 'nowMs'>, path = '/etc/hosts') {
    this.#clock = clock;
    this.#path = path;
  }

  /** `name` in lower case. Empty if the file does not contain it. */
  async addressesOf(name: string): Promise<readonly string[]> {
    const nowMs = this.#clock.nowMs();
    if (this.#names === null || nowMs - this.#readAtMs >= READ_AGAIN_AFTER_MS) {
      this.#readAtMs = nowMs;
      this.#names = readHosts(this.#path);
    }
    return (await this.#names).get(name) ?? [];
  }
}

/** An unreadable file has no names. */
async function readHosts(path: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const names = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = (line.split('#')[0] ?? '').trim().toLowerCase().split(/\s+/u);
    if (isIP(address) === 0) continue;
    for (const alias of aliases) names.set(alias, [...(names.get(alias) ?? []), address]);
  }
  return names;
}
