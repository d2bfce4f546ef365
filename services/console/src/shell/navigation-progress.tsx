import classes from './shell.module.css';

/** A line at the top while the script of a page is on its way; one that is quick shows none. */
export function NavigationProgress({ isLoading }: { isLoading: boolean }) {
  return isLoading ? (
    <div className={classes.progress} role="progressbar" aria-label="Loading the page" />
  ) : null;
}
