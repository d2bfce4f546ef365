import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withoutServiceStarts } from './policy-rc-d.mjs';
import { SetupError } from './setup-error.mjs';
import { withSetupLock } from './setup-lock.mjs';
import { runStep } from './step.mjs';

/**
 * Required Debian packages. A package counts as installed if one of `files` exists (a bare name is a program).
 * A package is not required if the variable in `unless` is set to a replacement.
 */
const groups = {
  servers: [
    { package: 'postgresql', files: ['postgres'], unless: 'DATABASE_URL' },
    { package: 'redis-server', files: ['redis-server'], unless: 'REDIS_URL' },
    { package: 'nats-server', files: ['nats-server'], unless: 'NATS_URL' },
  ],
  speech: [
    { package: 'espeak-ng', files: ['espeak-ng'] },
    { package: 'flite', files: ['flite'] },
  ],
  /** Tests always start their own servers, and use several voices. */
  test: [
    { package: 'postgresql', files: ['postgres'] },
    { package: 'redis-server', files: ['redis-server'] },
    { package: 'nats-server', files: ['nats-server'] },
    { package: 'pgbouncer', files: ['pgbouncer'] },
    { package: 'alsa-utils', files: ['/usr/share/sounds/alsa/Front_Center.wav'] },
    {
      package: 'pocketsphinx-testdata',
      files: ['/usr/share/pocketsphinx/test/data/cards/cards.transcription'],
    },
    { package: 'sox', files: ['sox'] },
    ...[
      ['en', 'en_US_f_Allison'],
      ['es', 'es_MX_f_Allison'],
      ['fr', 'fr_CA_f_June'],
      ['it', 'it_IT_m_Carlo'],
      ['ru', 'ru_RU_f_IvrvoiceRU'],
    ].map(([language, speaker]) => ({
      package: `asterisk-core-sounds-${language}-gsm`,
      files: [`/usr/share/asterisk/sounds/${speaker}/vm-intro.gsm`],
    })),
    // Replaces `chromium`: its windows and its GPU process add a third to the processor time of tests.
    { package: 'chromium-headless-shell', files: ['chromium-headless-shell'] },
    { package: 'coturn', files: ['turnserver'] },
    { package: 'python3', files: ['python3'] },
    { package: 'curl', files: ['curl'] },
    { package: 'jq', files: ['jq'] },
    { package: 'baresip-core', files: ['baresip'] },
    { package: 'kamailio', files: ['kamailio'] },
    {
      package: 'kamailio-tls-modules',
      files: [
        '/usr/lib/x86_64-linux-gnu/kamailio/modules/tls.so',
        '/usr/lib/aarch64-linux-gnu/kamailio/modules/tls.so',
      ],
    },
    { package: 'rtpengine-daemon', files: ['rtpengine'] },
    { package: 'openssl', files: ['openssl'] },
    { package: 'unzip', files: ['unzip'] },
    { package: 'linphone-cli', files: ['linphonec'] },
    { package: 'sip-tester', files: ['sipp'] },
    // Creates separate networks with NAT for the hosts of a test.
    { package: 'iproute2', files: ['ip'] },
    { package: 'nftables', files: ['nft'] },
  ],
  'long-test': [
    { package: 'prometheus', files: ['promtool'] },
    { package: 'firefox-esr', files: ['firefox-esr'] },
    { package: 'pulseaudio', files: ['pulseaudio'] },
    // A server with an S3 API.
    ...['proxy', 'account', 'container', 'object'].map((kind) => ({
      package: `swift-${kind}`,
      files: [`swift-${kind}-server`],
    })),
    { package: 'memcached', files: ['memcached'] },
  ],
  /** For building mediasoup's worker if no prebuilt one is available. */
  'webrtc-build': [
    { package: 'g++', files: ['g++'] },
    { package: 'make', files: ['make'] },
    { package: 'flatbuffers-compiler', files: ['flatc'] },
    { package: 'libflatbuffers-dev', files: ['/usr/include/flatbuffers/flatbuffers.h'] },
    { package: 'libsrtp2-dev', files: ['/usr/include/srtp2/srtp.h'] },
    { package: 'libssl-dev', files: ['/usr/include/openssl/ssl.h'] },
    { package: 'libuv1-dev', files: ['/usr/include/uv.h'] },
  ],
};

const LOCK_LIMIT_S = 120;
const LOCK_RETRY_MS = 2000;
/** What apt-get and dpkg print if another program, such as Debian's daily update, uses apt or dpkg. */
const LOCKED = /Could not get lock|locked by another process/;
const APT_OPTIONS = ['-o', `DPkg::Lock::Timeout=${LOCK_LIMIT_S}`, '-o', 'Acquire::Retries=3'];

/** The required packages of these groups that are not installed. */
export function missingPackages(needs) {
  const missing = needs
    .flatMap((group) => groups[group])
    .filter(({ unless }) => unless === undefined || !process.env[unless])
    .filter(({ files }) => !files.some(isThere));
  return [...new Set(missing.map((entry) => entry.package))];
}

/** Throws an error with the command that installs these packages if this process may not install them. */
export function requireInstallRights(packages) {
  if (packages.length === 0 || (process.getuid() === 0 && isThere('apt-get'))) return;
  throw new SetupError(instructions(packages));
}

/** Installs the required packages of these groups that are not installed, in one checkout at a time. */
export async function installDebianPackages(needs) {
  if (missingPackages(needs).length === 0) return;
  const lock = { folder: '/run/lock/calls', what: 'that installs Debian packages' };
  await withSetupLock(async () => {
    const packages = missingPackages(needs);
    if (packages.length === 0) return;
    await install(packages);
    const still = missingPackages(needs);
    if (still.length > 0)
      throw new SetupError(`installed, but its programs were not found: ${still.join(' ')}`);
  }, lock);
}

async function install(packages) {
  const apt = (title, log, args) =>
    runWithLocks({ title, log, command: 'apt-get', args: [...APT_OPTIONS, ...args] });
  // An interrupted run may have left packages partly installed.
  await runWithLocks({ title: 'checking dpkg', log: 'dpkg', command: 'dpkg', args: ['--configure', '-a'] });
  await apt('updating the package lists', 'apt-update', ['update']);
  await withoutServiceStarts(() =>
    apt(`installing ${packages.join(' ')}`, 'apt-install', installArguments(packages)),
  );
}

/** Waits for other programs that use apt or dpkg: only `apt-get install` does this by itself. */
async function runWithLocks(step) {
  const env = { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };
  const deadlineMs = performance.now() + LOCK_LIMIT_S * 1000;
  for (;;) {
    try {
      return await runStep({ ...step, env });
    } catch (error) {
      if (!LOCKED.test(error.message) || performance.now() > deadlineMs) throw error;
      console.log('  another program uses apt or dpkg; waiting for it');
      await delay(LOCK_RETRY_MS);
    }
  }
}

function installArguments(packages) {
  return ['install', '-y', '--no-install-recommends', ...packages];
}

function instructions(packages) {
  const replaceable = groups.servers.filter((entry) => packages.includes(entry.package));
  const urls = replaceable.map((entry) => entry.unless).join(', ');
  return [
    `Not installed: ${packages.join(' ')}. On Debian or Ubuntu, run this and then the same command again:`,
    '',
    `  sudo apt-get ${installArguments(packages).join(' ')}`,
    ...(urls === '' ? [] : ['', `For \`npm start\`, servers of your own do as well: set ${urls}.`]),
  ].join('\n');
}

function isThere(file) {
  return file.startsWith('/')
    ? existsSync(file)
    : programFolders().some((folder) => existsSync(join(folder, file)));
}

/** The folders in PATH, system folders that a user's PATH may omit, and Debian's folders of PostgreSQL programs. */
function programFolders() {
  const postgresql = '/usr/lib/postgresql';
  const versions = existsSync(postgresql) ? readdirSync(postgresql) : [];
  return [
    ...(process.env.PATH ?? '').split(':').filter(Boolean),
    '/usr/bin',
    '/usr/sbin',
    ...versions.map((version) => join(postgresql, version, 'bin')),
  ];
}
