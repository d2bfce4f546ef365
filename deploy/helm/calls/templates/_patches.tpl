{{/* Strategic merge patches, as in a kustomize overlay, that apply the values to the manifests. */}}

{{/* A value as a quoted string. Numbers of values files are floats, which `toString` writes as 3.6e+06. */}}
{{- define "calls.text" -}}
{{ kindIs "string" . | ternary . (toJson .) | quote }}
{{- end -}}

{{/* Patches of the ConfigMaps. */}}
{{- define "calls.config" -}}
apiVersion: v1
kind: ConfigMap
metadata: { name: calls-config }
data:
  {{- with .Values.sip.domain }}
  SIP_DOMAIN: {{ quote . }}
  {{- end }}
  {{- if .Values.sip.tls }}
  SIP_TLS: 'true'
  {{- end }}
  {{- with .Values.turn.urls }}
  TURN_URLS: {{ join "," . | quote }}
  {{- end }}
  {{- with .Values.objectStorage.url }}
  OBJECT_STORAGE_URL: {{ quote . }}
  {{- end }}
  {{- range $name, $value := .Values.config }}
  {{ $name }}: {{ include "calls.text" $value }}
  {{- end }}
---
apiVersion: v1
kind: ConfigMap
metadata: { name: calls-engines }
data:
  {{- range $name, $value := .Values.engines }}
  {{ $name }}: {{ include "calls.text" $value }}
  {{- end }}
{{- end -}}

{{/*
Fails if `config` or `engines` has a variable that a container of the manifests sets itself, because the container's value has
precedence. A variable from an optional key of a secret is allowed, because the key may be missing. Takes: values, objects.
*/}}
{{- define "calls.requireEffect" -}}
{{- $given := merge dict .values.config .values.engines -}}
{{- if hasKey $given "METRICS_PORT" -}}{{- fail "config.METRICS_PORT: the manifests need the default" -}}{{- end -}}
{{- range $role, $pods := dict "control-plane" "controlPlane" "dispatcher" "dispatcher" "media-worker" "mediaWorker" -}}
  {{- range (first (get $.objects (printf "Deployment/%s" $role)).spec.template.spec.containers).env -}}
    {{- $name := .name -}}
    {{- if and (hasKey $given $name) (not (dig "valueFrom" "secretKeyRef" "optional" false .)) -}}
      {{- with dig "valueFrom" "secretKeyRef" "name" "" . -}}
        {{- fail (printf "config.%s would have no effect, because the pods have it from the secret %s: set it there" $name .) -}}
      {{- end -}}
      {{- fail (printf "config.%s would have no effect, because the manifests set it: use values of %s, such as its env" $name $pods) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* Patches of the Deployments. Takes: root, objects. */}}
{{- define "calls.deployments" -}}
{{- $values := .root.Values -}}
{{- $image := printf "%s:%s" $values.image.repository ($values.image.tag | default .root.Chart.Version) -}}
{{- with $values.image.digest -}}{{- $image = printf "%s@%s" $values.image.repository . -}}{{- end -}}
{{- $config := printf "%s%s" (get .objects "ConfigMap/calls-config" | toJson) (get .objects "ConfigMap/calls-engines" | toJson) -}}
{{- $roles := dict "control-plane" $values.controlPlane "dispatcher" $values.dispatcher "media-worker" $values.mediaWorker -}}
{{- range $role, $settings := $roles }}
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: {{ $role }} }
spec:
  {{- if or (ne $role "media-worker") (not $values.autoscaling.enabled) }}
  {{- with $settings.replicas }}
  replicas: {{ . }}
  {{- end }}
  {{- end }}
  {{- with $settings.drainSeconds }}
  {{- if or $values.webrtc.hostPort $values.sip.hostNetwork }}
  progressDeadlineSeconds: {{ add . 900 }}
  {{- end }}
  {{- end }}
  template:
    metadata:
      annotations:
        checksum/config: {{ sha256sum $config }}
        {{- with $settings.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- with $values.image.pullSecrets }}
      imagePullSecrets: {{ toJson . }}
      {{- end }}
      {{- with $settings.priorityClassName }}
      priorityClassName: {{ quote . }}
      {{- end }}
      {{- with $settings.nodeSelector }}
      nodeSelector: {{ toJson . }}
      {{- end }}
      {{- with $settings.tolerations }}
      tolerations: {{ toJson . }}
      {{- end }}
      {{- with $settings.affinity }}
      affinity: {{ toJson . }}
      {{- end }}
      {{- with $settings.drainSeconds }}
      terminationGracePeriodSeconds: {{ add . 100 }}
      {{- end }}
      {{- if eq $role "control-plane" }}
      initContainers:
        - name: prepare-database
          image: {{ quote $image }}
          imagePullPolicy: {{ $values.image.pullPolicy }}
          env: {{ toJson $settings.env }}
          volumeMounts: {{ toJson $settings.volumeMounts }}
      {{- end }}
      containers:
        - name: {{ $role }}
          image: {{ quote $image }}
          imagePullPolicy: {{ $values.image.pullPolicy }}
          resources: {{ toJson $settings.resources }}
          env:
            {{- with $settings.drainSeconds }}
            - { name: DRAIN_LIMIT_MS, value: '{{ mul . 1000 }}' }
            {{- end }}
            {{- range $settings.env }}
            - {{ toJson . }}
            {{- end }}
          volumeMounts: {{ toJson $settings.volumeMounts }}
      volumes: {{ toJson $settings.volumes }}
{{- end }}
{{- end -}}

{{/* Patches of the other objects. */}}
{{- define "calls.surroundings" -}}
apiVersion: v1
kind: ServiceAccount
metadata: { name: calls, annotations: {{ toJson .Values.serviceAccount.annotations }} }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: media-worker }
{{- with .Values.autoscaling }}
{{- if .enabled }}
spec:
  {{- with .minReplicas }}
  minReplicas: {{ . }}
  {{- end }}
  {{- with .maxReplicas }}
  maxReplicas: {{ . }}
  {{- end }}
{{- else }}
$patch: delete
{{- end }}
{{- end }}
{{- if not .Values.objectStorage.url }}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: calls-objects }
spec:
  {{- with .Values.storage.className }}
  storageClassName: {{ quote . }}
  {{- end }}
  {{- with .Values.storage.size }}
  resources: { requests: { storage: {{ quote . }} } }
  {{- end }}
{{- end }}
{{- if .Values.monitoring.podMonitor }}
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: calls, labels: {{ toJson .Values.monitoring.podMonitorLabels }} }
{{- end }}
{{- range $name, $egress := dict "calls-stores" .Values.networkPolicy.stores "calls-nats" .Values.networkPolicy.nats }}
{{- if $egress }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: {{ $name }} }
spec: { egress: {{ toJson $egress }} }
{{- end }}
{{- end }}
{{- end -}}
