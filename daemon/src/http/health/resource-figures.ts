import process from 'node:process';
import { VERSION } from '@sandbox/api/version.ts';
import { readNetwork } from '@sandbox/program/resources/network.ts';
import { readResources } from '@sandbox/program/resources/read-resources.ts';
import type { Metrics } from '../../core/metrics.ts';

const HELP = {
  sandbox_cpu_seconds_total: 'Processor time of the container, or of the machine without one.',
  sandbox_cpu_limit: 'Processors that the sandbox may use at a time.',
  sandbox_memory_used_bytes: 'Memory of the container, or of the machine without one, less the cache of files.',
  sandbox_memory_limit_bytes: 'Memory that the sandbox may use.',
  sandbox_disk_used_bytes: 'Used bytes of the file system of /.',
  sandbox_disk_size_bytes: 'Size of the file system of /.',
  sandbox_network_received_bytes_total: 'Bytes that all network interfaces but the loopback have received.',
  sandbox_network_sent_bytes_total: 'Bytes that all network interfaces but the loopback have sent.',
  sandbox_oom_kills_total: 'Processes that the kernel killed for want of memory.',
};

/** Shows what the sandbox uses, and which build it is. */
export function measureResources(metrics: Metrics): void {
  metrics.gauges(HELP, async () => {
    const [{ cpu, memory, disk, oom_kills: kills }, network] = await Promise.all([readResources(), readNetwork()]);
    return {
      sandbox_cpu_seconds_total: cpu.used_ms / 1000,
      sandbox_cpu_limit: cpu.count,
      sandbox_memory_used_bytes: memory.used,
      sandbox_memory_limit_bytes: memory.total,
      ...(disk && { sandbox_disk_used_bytes: disk.used, sandbox_disk_size_bytes: disk.total }),
      ...(network && {
        sandbox_network_received_bytes_total: network.received,
        sandbox_network_sent_bytes_total: network.sent,
      }),
      ...(kills !== null && { sandbox_oom_kills_total: kills }),
    };
  });
  metrics.info('sandbox_build_info', 'The running build; the value is 1.', { version: VERSION, node: process.version });
}
