import { AppShell, Box, Burger, Group } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { Suspense } from 'react';
import { Link, NavLink, Outlet, ScrollRestoration, useNavigation } from 'react-router';
import { LeaveGuard } from '../components/leaving/leave-guard.tsx';
import type { Session } from '../session/session.ts';
import { AccountMenu } from './account-menu.tsx';
import { Logo } from './logo.tsx';
import { navEntries } from './nav-entries.ts';
import { RouteLoading } from './route-states.tsx';
import classes from './shell.module.css';

const NAVBAR_PX = 224;
const HEADER_PX = 52;

export function Shell({ session }: { session: Session }) {
  const [isOpen, { close, toggle }] = useDisclosure(false);
  const { state } = useNavigation();
  useHotkeys([
    ['/', () => focusSearch()],
    // Also closes the account menu.
    ['Escape', close, { preventDefault: false }],
  ]);
  return (
    <AppShell
      layout="alt"
      navbar={{ width: NAVBAR_PX, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      header={{ height: { base: HEADER_PX, sm: 0 } }}
    >
      <a className="skip-link" href="#main">
        Skip to the page
      </a>
      <NavigationProgress isLoading={state === 'loading'} />
      <AppShell.Header className={classes.header} hiddenFrom="sm" px="md">
        <Group h="100%" justify="space-between">
          <Link to="/" aria-label="Calls, overview" className={classes.plain}>
            <Logo />
          </Link>
          <Burger
            opened={isOpen}
            onClick={toggle}
            size="sm"
            aria-label="Open the navigation"
            aria-expanded={isOpen}
          />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label="Main" className={classes.navbar} data-open={isOpen || undefined} p="sm">
        <Group justify="space-between" px={6} py={6} mb="sm" wrap="nowrap">
          <Logo />
          <Burger
            opened={isOpen}
            onClick={toggle}
            size="sm"
            hiddenFrom="sm"
            aria-label="Close the navigation"
          />
        </Group>
        <Box flex={1} className={classes.scrolling}>
          <Navigation onNavigate={close} />
        </Box>
        <AccountMenu session={session} onNavigate={close} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
        <Suspense fallback={<RouteLoading />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
      <LeaveGuard />
      <ScrollRestoration />
    </AppShell>
  );
}

/** `/` focuses the page's search input. */
function focusSearch(): void {
  document.querySelector<HTMLInputElement>('main input[type="search"]')?.focus();
}

/** A progress bar while the script of a page loads; hidden for fast loads. */
function NavigationProgress({ isLoading }: { isLoading: boolean }) {
  return isLoading ? (
    <div className={classes.progress} role="progressbar" aria-label="Loading the page" />
  ) : null;
}

function Navigation({ onNavigate }: { onNavigate: () => void }) {
  return (
    <>
      {navEntries.map(({ label, entries }) => (
        <div key={label} className={label === '' ? undefined : classes.group}>
          {label !== '' && <div className={classes.groupLabel}>{label}</div>}
          {entries.map(({ path, label: name, Icon }) => (
            <NavLink key={path} to={path} end={path === '/'} className={classes.entry} onClick={onNavigate}>
              <Icon />
              {name}
            </NavLink>
          ))}
        </div>
      ))}
    </>
  );
}
