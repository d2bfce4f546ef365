// What the worker uses of libsrtp 3, on libsrtp 2: an opaque policy built step by step, and separate buffers for what
// goes in and what comes out. Lengths of output buffers are their capacity going in, what was written coming out.
#pragma once

#define srtp_policy_t srtp2_policy_t
#include <srtp2/srtp.h>
#undef srtp_policy_t

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

// The two that version 2 lacks.
inline constexpr auto srtp_err_status_buffer_small = static_cast<srtp_err_status_t>(28);
inline constexpr auto srtp_err_status_cryptex_err  = static_cast<srtp_err_status_t>(29);

struct srtp_policy_shim
{
	srtp2_policy_t policy{};
	uint8_t key[SRTP_MAX_KEY_LEN]{};
};

using srtp_policy_t = srtp_policy_shim*;

inline srtp_err_status_t srtp_policy_create(srtp_policy_t* policy)
{
	*policy = new (std::nothrow) srtp_policy_shim();

	return *policy ? srtp_err_status_ok : srtp_err_status_alloc_fail;
}

inline void srtp_policy_destroy(srtp_policy_t policy)
{
	// The key doesn't stay behind in freed memory.
	if (policy)
	{
		explicit_bzero(policy->key, sizeof(policy->key));
	}

	delete policy;
}

inline srtp_err_status_t srtp_policy_set_ssrc(srtp_policy_t policy, srtp_ssrc_t ssrc)
{
	policy->policy.ssrc = ssrc;

	return srtp_err_status_ok;
}

inline srtp_err_status_t srtp_policy_set_profile(srtp_policy_t policy, srtp_profile_t profile)
{
	const auto err = srtp_crypto_policy_set_from_profile_for_rtp(&policy->policy.rtp, profile);

	if (err != srtp_err_status_ok)
	{
		return err;
	}

	return srtp_crypto_policy_set_from_profile_for_rtcp(&policy->policy.rtcp, profile);
}

// Version 2 wants the salt right behind the key. One key, without an index.
inline srtp_err_status_t srtp_policy_add_key(
  srtp_policy_t policy,
  const uint8_t* key,
  size_t keyLen,
  const uint8_t* salt,
  size_t saltLen,
  const uint8_t* mki,
  size_t mkiLen)
{
	if (mki || mkiLen != 0 || policy->policy.key || keyLen + saltLen > sizeof(policy->key))
	{
		return srtp_err_status_bad_param;
	}

	std::memcpy(policy->key, key, keyLen);
	std::memcpy(policy->key + keyLen, salt, saltLen);
	policy->policy.key = policy->key;

	return srtp_err_status_ok;
}

inline srtp_err_status_t srtp_policy_set_allow_repeat_tx(srtp_policy_t policy, bool allowed)
{
	policy->policy.allow_repeat_tx = allowed ? 1 : 0;

	return srtp_err_status_ok;
}

inline srtp_err_status_t srtp_policy_set_window_size(srtp_policy_t policy, size_t windowSize)
{
	policy->policy.window_size = windowSize;

	return srtp_err_status_ok;
}

inline srtp_err_status_t srtp_create(srtp_t* session, srtp_policy_t policy)
{
	return srtp_create(session, &policy->policy);
}

inline srtp_err_status_t srtp_stream_remove(srtp_t session, uint32_t ssrc)
{
	return srtp_remove_stream(session, ssrc);
}

// Version 2 works in place and appends at most SRTP_MAX_TRAILER_LEN bytes.
template<typename Protect>
inline srtp_err_status_t srtp_shim_transform(
  Protect&& inPlace, size_t trailerLen, const uint8_t* in, size_t inLen, uint8_t* out, size_t* outLen)
{
	if (*outLen < inLen + trailerLen)
	{
		return srtp_err_status_buffer_small;
	}

	if (out != in)
	{
		std::memmove(out, in, inLen);
	}

	int len        = static_cast<int>(inLen);
	const auto err = inPlace(out, &len);

	if (err == srtp_err_status_ok)
	{
		*outLen = static_cast<size_t>(len);
	}

	return err;
}

inline srtp_err_status_t srtp_protect(
  srtp_t session, const uint8_t* rtp, size_t rtpLen, uint8_t* srtp, size_t* srtpLen, size_t /*mkiIndex*/)
{
	return srtp_shim_transform(
	  [session](uint8_t* data, int* len) { return srtp_protect(session, data, len); },
	  SRTP_MAX_TRAILER_LEN, rtp, rtpLen, srtp, srtpLen);
}

inline srtp_err_status_t srtp_unprotect(
  srtp_t session, const uint8_t* srtp, size_t srtpLen, uint8_t* rtp, size_t* rtpLen)
{
	return srtp_shim_transform(
	  [session](uint8_t* data, int* len) { return srtp_unprotect(session, data, len); },
	  0, srtp, srtpLen, rtp, rtpLen);
}

inline srtp_err_status_t srtp_protect_rtcp(
  srtp_t session, const uint8_t* rtcp, size_t rtcpLen, uint8_t* srtcp, size_t* srtcpLen, size_t /*mkiIndex*/)
{
	return srtp_shim_transform(
	  [session](uint8_t* data, int* len) { return srtp_protect_rtcp(session, data, len); },
	  // The index of SRTCP packets comes on top.
	  SRTP_MAX_TRAILER_LEN + sizeof(uint32_t), rtcp, rtcpLen, srtcp, srtcpLen);
}

inline srtp_err_status_t srtp_unprotect_rtcp(
  srtp_t session, const uint8_t* srtcp, size_t srtcpLen, uint8_t* rtcp, size_t* rtcpLen)
{
	return srtp_shim_transform(
	  [session](uint8_t* data, int* len) { return srtp_unprotect_rtcp(session, data, len); },
	  0, srtcp, srtcpLen, rtcp, rtcpLen);
}
