import { builds } from './builds.mjs';
import { installDebianPackages, missingPackages, requireInstallRights } from './debian-packages.mjs';
import { dependenciesAreCurrent, installDependencies } from './dependencies.mjs';
import { withSetupLock } from './setup-lock.mjs';

/** Installs and builds what the command needs: dependencies, Debian packages of the named groups, and builds. */
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
    // Checked again, because another run may have completed it while this one waited.
    if (!dependenciesAreCurrent()) await installDependencies();
    await installDebianPackages(groups);
    for (const { isCurrent, run } of needed) if (!isCurrent()) await run();
  });
}
