/** A script that writes `up` once it ignores SIGTERM, and then the time of each SIGTERM. */
export const UNYIELDING = `trap 'echo "told $EPOCHREALTIME"' TERM; echo up; while :; do sleep 0.1; done`;

/** When such a script got its SIGTERM, in milliseconds since the epoch; undefined where it has not written it. */
export function toldAt(stdout: string): number | undefined {
  // The sign before the fraction depends on the locale.
  const [, seconds = '', micros = ''] = /^up\ntold (\d+)[.,](\d{6})\n/.exec(stdout) ?? [];
  return seconds === '' ? undefined : Number(seconds) * 1000 + Number(micros) / 1000;
}
