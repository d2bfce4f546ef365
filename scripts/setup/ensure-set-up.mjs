import { installDebianPackages, missingPackages, requireInstallRights } from './debian-packages.mjs';
import { dependenciesAreCurrent, installDependencies } from './dependencies.mjs';
import { withSetupLock } from './setup-lock.mjs';

/** Makes true what the command needs: the dependencies, and the Debian packages of the named groups. */
export async function ensureSetUp(needs) {
  if (dependenciesAreCurrent() && missingPackages(needs).length === 0) return;
  requireInstallRights(missingPackages(needs));
  await withSetupLock(async () => {
    // Looked at again: another run may have done it while this one waited.
    if (!dependenciesAreCurrent()) await installDependencies();
    const packages = missingPackages(needs);
    if (packages.length > 0) await installDebianPackages(packages);
  });
}
