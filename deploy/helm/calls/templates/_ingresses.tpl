{{/* Sets hosts, certificates, class and annotations of the ingresses. Takes: ingress (values), objects. */}}
{{- define "calls.ingresses" -}}
{{- $ingress := .ingress -}}
{{- $objects := .objects -}}
{{- $config := (get $objects "ConfigMap/calls-config").data -}}
{{- $media := urlParse $config.MEDIA_PUBLIC_URL -}}
{{- if eq $media.hostname (urlParse $config.PUBLIC_URL).hostname -}}
  {{- fail "ingress: PUBLIC_URL and MEDIA_PUBLIC_URL need different hosts" -}}
{{- end -}}
{{- if trimAll "/" $media.path -}}
  {{- fail "ingress: MEDIA_PUBLIC_URL must have no path, because the ingress would not remove it" -}}
{{- end -}}
{{- range $name, $variable := dict "control-plane" "PUBLIC_URL" "media-worker" "MEDIA_PUBLIC_URL" -}}
  {{- $object := get $objects (printf "Ingress/%s" $name) -}}
  {{- $host := (urlParse (get $config $variable)).hostname -}}
  {{- $_ := set (first $object.spec.rules) "host" $host -}}
  {{- $_ := set (first $object.spec.tls) "hosts" (list $host) -}}
  {{- with get $ingress.tlsSecrets $name -}}{{- $_ := set (first $object.spec.tls) "secretName" . -}}{{- end -}}
  {{- with $ingress.className -}}{{- $_ := set $object.spec "ingressClassName" . -}}{{- end -}}
  {{- with $ingress.annotations -}}
    {{- include "calls.merge" (dict "onto" $object.metadata.annotations "patch" .) -}}
  {{- end -}}
{{- end -}}
{{- end -}}
