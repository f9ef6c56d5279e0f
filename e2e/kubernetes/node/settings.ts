import { join } from 'node:path';
import {
  CERTIFICATES,
  CONTAINERD_SOCKET,
  DNS_ADDRESS,
  NODE_NAME,
  PAUSE_IMAGE,
  POD_NETWORK,
  RUN,
  STATE,
} from './places.ts';

/** Debian's directory of network plugins. */
export const NETWORK_PLUGINS = '/usr/lib/cni';

/** Configurations of the programs of the node, by the name of their file in `RUN`. */
export const SETTINGS: Readonly<Record<string, string>> = {
  'containerd.toml': `version = 2
root = "${STATE}/containerd"
state = "${RUN}/containerd"
oom_score = 0
[grpc]
  address = "${CONTAINERD_SOCKET}"
[plugins."io.containerd.internal.v1.opt"]
  path = "${STATE}/opt"
[plugins."io.containerd.grpc.v1.cri"]
  # The machine may be a container that cannot lower the score of its processes.
  restrict_oom_score_adj = true
  sandbox_image = "${PAUSE_IMAGE}"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${NETWORK_PLUGINS}"
    conf_dir = "${RUN}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
`,
  'cni/10-pods.conflist': JSON.stringify({
    cniVersion: '0.4.0',
    name: 'pods',
    plugins: [
      {
        type: 'ptp',
        ipMasq: false,
        mtu: 1500,
        ipam: {
          type: 'host-local',
          dataDir: join(STATE, 'addresses'),
          ranges: [[{ subnet: POD_NETWORK }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  }),
  'resolv.conf': `nameserver ${DNS_ADDRESS}\n`,
  'kubelet.yaml': JSON.stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    failCgroupV1: false,
    failSwapOn: false,
    cgroupDriver: 'cgroupfs',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: false },
      x509: { clientCAFile: join(CERTIFICATES, 'ca.crt') },
    },
    authorization: { mode: 'AlwaysAllow' },
    tlsCertFile: join(CERTIFICATES, 'kubelet.crt'),
    tlsPrivateKeyFile: join(CERTIFICATES, 'kubelet.key'),
    containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
    resolvConf: join(RUN, 'resolv.conf'),
    clusterDNS: [DNS_ADDRESS],
    clusterDomain: 'cluster.local',
    evictionHard: { 'memory.available': '200Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    imageGCHighThresholdPercent: 100,
    maxPods: 250,
    seccompDefault: true,
    serializeImagePulls: false,
    podLogsDir: join(STATE, 'pod-logs'),
  }),
  'proxy.yaml': JSON.stringify({
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    clientConnection: { kubeconfig: join(CERTIFICATES, 'proxy.conf') },
    hostnameOverride: NODE_NAME,
    clusterCIDR: POD_NETWORK,
    // Values of the whole machine stay as they are.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  }),
};
