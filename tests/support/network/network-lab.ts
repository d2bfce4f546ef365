import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { describe } from '@jest/globals';

/** One end of a cable: a host with its address and prefix length, such as `phone 10.0.0.2/24`, or a bridge: `br-a`. */
type CableEnd = string;

export interface LabPlan {
  /** Each is a network namespace. */
  hosts: readonly string[];
  cables: readonly (readonly [CableEnd, CableEnd])[];
  /** Arguments of `ip route add`, by host. */
  routes: Readonly<Record<string, readonly string[]>>;
}

/** The namespace of the bridges. */
const SWITCH = 'switch';
const NAMESPACES = '/run/netns';
/** Prefix of namespace names, followed by the id of the process that created them. */
const PREFIX = 'calls-';

/** Lab tests require permission to create network namespaces and are skipped without it. */
export const describeInLab = mayCreateNamespaces() ? describe : describe.skip;

/** Simulated hosts with their own networks on this machine. */
export class NetworkLab implements Disposable {
  /** Unique among the test runs on this machine. */
  readonly #prefix: string;
  readonly #namespaces: string[] = [];

  private constructor(prefix: string) {
    this.#prefix = prefix;
  }

  static open(plan: LabPlan): NetworkLab {
    removeLeftHosts();
    const lab = new NetworkLab(newPrefix());
    try {
      lab.#build(plan);
      return lab;
    } catch (thrown) {
      lab[Symbol.dispose]();
      throw thrown;
    }
  }

  /** Name of the namespace of a host, for `ip netns exec`. */
  namespaceOf(host: string): string {
    return `${this.#prefix}-${host}`;
  }

  /** Enables packet forwarding on a host, with these nftables rules. */
  makeRouter(host: string, rules: string): void {
    const inside = ['netns', 'exec', this.namespaceOf(host)];
    run('ip', [...inside, 'sysctl', '-qw', 'net.ipv4.ip_forward=1']);
    run('ip', [...inside, 'nft', '-f', '-'], rules);
  }

  /** Removes the hosts. Their processes must have ended. */
  [Symbol.dispose](): void {
    for (const namespace of this.#namespaces.splice(0)) run('ip', ['netns', 'delete', namespace]);
  }

  #build({ hosts, cables, routes }: LabPlan): void {
    for (const host of [SWITCH, ...hosts]) {
      run('ip', ['netns', 'add', this.namespaceOf(host)]);
      this.#namespaces.push(this.namespaceOf(host));
      this.#ip(host, ['link set lo up']);
    }
    const bridges = new Set(cables.flat().filter(isBridge));
    this.#ip(
      SWITCH,
      [...bridges].flatMap((name) => [`link add ${name} type bridge`, `link set ${name} up`]),
    );
    for (const [index, [a, b]] of cables.entries()) {
      const names = [`c${index}a`, `c${index}b`] as const;
      this.#ip(hostOf(a), [
        `link add ${names[0]} type veth peer ${names[1]} netns ${this.namespaceOf(hostOf(b))}`,
      ]);
      this.#plug(names[0], a);
      this.#plug(names[1], b);
    }
    for (const [host, added] of Object.entries(routes)) {
      this.#ip(
        host,
        added.map((route) => `route add ${route}`),
      );
    }
  }

  #plug(name: string, end: CableEnd): void {
    const [, address] = end.split(' ');
    this.#ip(hostOf(end), [
      isBridge(end) ? `link set ${name} master ${end}` : `address add ${address} dev ${name}`,
      `link set ${name} up`,
    ]);
  }

  #ip(host: string, commands: readonly string[]): void {
    run('ip', ['-n', this.namespaceOf(host), '-batch', '-'], `${commands.join('\n')}\n`);
  }
}

function isBridge(end: CableEnd): boolean {
  return end.startsWith('br-');
}

function hostOf(end: CableEnd): string {
  return isBridge(end) ? SWITCH : (end.split(' ')[0] ?? '');
}

function run(program: string, args: readonly string[], input = ''): void {
  execFileSync(program, args, { input, stdio: ['pipe', 'ignore', 'pipe'] });
}

function newPrefix(): string {
  return `${PREFIX}${process.pid}-${randomBytes(3).toString('hex')}`;
}

/** Removes the hosts of test runs that were killed. */
function removeLeftHosts(): void {
  const names = existsSync(NAMESPACES) ? readdirSync(NAMESPACES) : [];
  for (const name of names.filter((each) => each.startsWith(PREFIX))) {
    const pid = Number(name.slice(PREFIX.length).split('-', 1)[0]);
    if (!existsSync(`/proc/${pid}`)) run('ip', ['netns', 'delete', name]);
  }
}

function mayCreateNamespaces(): boolean {
  const name = newPrefix();
  try {
    run('ip', ['netns', 'add', name]);
    run('ip', ['netns', 'delete', name]);
    return true;
  } catch {
    return false;
  }
}
