import { builds } from './builds.mjs';
import { installDebianPackages, missingPackages, requireInstallRights } from './debian-packages.mjs';
import { dependenciesAreCurrent, installDependencies } from './dependencies.mjs';
import { withSetupLock } from './setup-lock.mjs';

/** Installs and builds what the command needs: the dependencies, the Debian packages of the named groups, what is built. */
export async function ensureSetUp(needs) {
  const groups = needs.filter((name) => !Object.hasOwn(builds, name));
  const needed = needs.filter((name) => Object.hasOwn(builds, name)).map((name) => builds[name]);
  const isSetUp = () =>
    dependenciesAreCurrent() &&
    missingPackages(groups).length === 0 &&
    needed.every(({ isCurrent }) => isCurrent());
  if (isSetUp()) return;
  requireInstallRights(missingPackages(groups));
  await withSetupLock(async () => {
    // Looked at again: another run may have done it while this one waited.
    if (!dependenciesAreCurrent()) await installDependencies();
    const packages = missingPackages(groups);
    if (packages.length > 0) await installDebianPackages(packages);
    for (const { isCurrent, run } of needed) if (!isCurrent()) await run();
  });
}
