{{/*
Moves the control-plane's init container to a job that runs before an installation or upgrade. The ConfigMaps may not exist
then, so the job contains their values. Takes: objects.
*/}}
{{- define "calls.migrationJob" -}}
{{- $objects := .objects -}}
{{- $template := (get $objects "Deployment/control-plane").spec.template -}}
{{- $pod := $template.spec -}}
{{- $container := first $pod.initContainers -}}
{{- $_ := unset $pod "initContainers" -}}
{{- $sources := list -}}
{{- $merged := dict "env" list -}}
{{- range $container.envFrom -}}
  {{- if .configMapRef -}}
    {{- range $name, $value := (get $objects (printf "ConfigMap/%s" .configMapRef.name)).data -}}
      {{- $_ := set $merged "env" (append $merged.env (dict "name" $name "value" $value)) -}}
    {{- end -}}
  {{- else -}}
    {{- $sources = append $sources . -}}
  {{- end -}}
{{- end -}}
{{- include "calls.merge" (dict "onto" $merged "patch" (pick $container "env")) -}}
{{- $_ := set $container "env" $merged.env -}}
{{- $_ := set $container "envFrom" $sources -}}
{{- $mounted := list -}}
{{- range $container.volumeMounts -}}{{- $mounted = append $mounted .name -}}{{- end -}}
{{- $volumes := list -}}
{{- range $pod.volumes -}}{{- if has .name $mounted -}}{{- $volumes = append $volumes . -}}{{- end -}}{{- end -}}
{{- $shared := pick $pod "affinity" "automountServiceAccountToken" "enableServiceLinks" "imagePullSecrets" "nodeSelector" "priorityClassName" "securityContext" "tolerations" -}}
{{- $labels := merge (dict "app.kubernetes.io/name" $container.name) $template.metadata.labels -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ $container.name }}
  labels: {{ toJson $labels }}
  annotations:
    helm.sh/hook: pre-install,pre-upgrade
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
spec:
  backoffLimit: 3
  template:
    metadata:
      labels: {{ toJson $labels }}
    spec:
      {{- toYaml $shared | nindent 6 }}
      restartPolicy: OnFailure
      containers: {{ toJson (list $container) }}
      volumes: {{ toJson $volumes }}
{{- end -}}
